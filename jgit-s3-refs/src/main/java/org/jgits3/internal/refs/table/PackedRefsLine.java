// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.refs.table;

import org.eclipse.jgit.annotations.Nullable;
import org.eclipse.jgit.lib.ObjectId;

/**
 * Lines of a ref in packed-refs: the id, a space, the name, and for a tag a line with the peeled
 * id.
 */
final class PackedRefsLine {
  private static final int HEX = 40;

  private PackedRefsLine() {}

  /**
   * Bytes of the lines of a ref.
   *
   * @param name bytes of its name
   * @param peeled its peeled id; null if its object is no annotated tag
   */
  static int length(int name, @Nullable ObjectId peeled) {
    return HEX + 1 + name + 1 + (peeled == null ? 0 : 1 + HEX + 1);
  }

  /**
   * Writes the lines of a ref.
   *
   * @param names holds its name
   * @param i index of the name
   * @param id its id
   * @param peeled its peeled id; null if its object is no annotated tag
   * @param dst array to write to
   * @param start first byte to write
   * @return end of the written lines
   */
  static int write(
      RefNames names, int i, ObjectId id, @Nullable ObjectId peeled, byte[] dst, int start) {
    id.copyTo(dst, start);
    int at = start + HEX;
    dst[at++] = ' ';
    int length = names.length(i);
    System.arraycopy(names.bytes(), names.start(i), dst, at, length);
    at += length;
    dst[at++] = '\n';
    if (peeled != null) {
      dst[at++] = '^';
      peeled.copyTo(dst, at);
      at += HEX;
      dst[at++] = '\n';
    }
    return at;
  }
}
