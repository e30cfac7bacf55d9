// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.refs.log;

import java.io.IOException;

/** Changes of many refs that write themselves to a log object, without an object for each. */
public interface PreparedChanges {
  /** Tests whether {@link String#compareTo} puts the names in the order of the changes. */
  boolean inOrderOfStrings();

  /** Writes the changes. */
  void writeTo(BlockFileWriter writer) throws IOException;
}
