// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.refs.snapshot;

import java.io.IOException;

/**
 * A commit was attempted on a manifest whose snapshot is not in memory. The caller loads it and
 * tries again.
 */
public final class SnapshotNotLoadedException extends IOException {
  public SnapshotNotLoadedException(String id) {
    super("refs snapshot " + id + " is not loaded");
  }
}
