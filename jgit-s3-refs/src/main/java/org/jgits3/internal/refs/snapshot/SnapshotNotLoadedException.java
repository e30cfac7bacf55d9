// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.refs.snapshot;

import java.io.IOException;
import org.jgits3.manifest.Refs;

/**
 * A commit was attempted on a manifest whose tables of refs are not in memory. The caller loads
 * them and tries again.
 */
public final class SnapshotNotLoadedException extends IOException {
  public SnapshotNotLoadedException(Refs refs) {
    super("refs snapshot " + String.join(", ", refs.tableIds()) + " is not loaded");
  }
}
