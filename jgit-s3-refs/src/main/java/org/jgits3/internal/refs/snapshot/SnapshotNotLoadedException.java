// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.refs.snapshot;

import java.io.IOException;

/** A commit was tried on a manifest whose snapshot is not in memory: load it, then try again. */
public final class SnapshotNotLoadedException extends IOException {
  public SnapshotNotLoadedException(String id) {
    super("refs snapshot " + id + " is not loaded");
  }
}
