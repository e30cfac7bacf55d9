// SPDX-License-Identifier: Apache-2.0
package org.jgits3.refs;

import java.io.IOException;

/** A commit was tried on a manifest whose snapshot is not in memory: load it, then try again. */
final class SnapshotNotLoadedException extends IOException {
  SnapshotNotLoadedException(String id) {
    super("refs snapshot " + id + " is not loaded");
  }
}
