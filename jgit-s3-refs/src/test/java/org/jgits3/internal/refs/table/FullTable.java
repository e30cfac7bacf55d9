// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.refs.table;

import static java.nio.charset.StandardCharsets.US_ASCII;

/** A table that claims to have as many bytes as one can have, and takes none of the memory. */
public final class FullTable {
  private FullTable() {}

  /** A table whose only ref has a line with nearly all bytes, of which those of the name exist. */
  public static PackedRefsTable of(String name) {
    String line = "a".repeat(40) + ' ' + name + '\n';
    byte[] bytes = (PackedRefsTable.HEADER + line).getBytes(US_ASCII);
    return new PackedRefsTable(
        bytes, PackedRefsTable.LARGEST, new int[] {PackedRefsTable.HEADER.length()});
  }
}
