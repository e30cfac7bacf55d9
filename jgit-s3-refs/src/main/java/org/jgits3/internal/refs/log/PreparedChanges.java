// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.refs.log;

import java.io.IOException;

/** Changes, sorted by ref, that write themselves to a log object without an object for each. */
public interface PreparedChanges {
  /** Writes the changes. */
  void writeTo(BlockFileWriter writer) throws IOException;
}
