// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.refs.table;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import org.eclipse.jgit.annotations.Nullable;
import org.eclipse.jgit.lib.ObjectId;

/**
 * Lines of a ref in packed-refs: the id, a space, the name, and for a tag a line with the peeled
 * id.
 */
final class PackedRefsLine {
  private static final int HEX = 40;

  private static final VarHandle INT =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);

  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  private static final long ONES = 0x0101010101010101L;

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
    hex(id, dst, start);
    int at = start + HEX;
    dst[at++] = ' ';
    int length = names.length(i);
    System.arraycopy(names.bytes(), names.start(i), dst, at, length);
    at += length;
    dst[at++] = '\n';
    if (peeled != null) {
      dst[at++] = '^';
      hex(peeled, dst, at);
      at += HEX;
      dst[at++] = '\n';
    }
    return at;
  }

  /**
   * Writes an id as its digits, eight at once; {@link ObjectId#copyTo} does it one by one, which
   * took most of the time of a large batch.
   */
  private static void hex(ObjectId id, byte[] dst, int start) {
    int raw = start + HEX / 2;
    id.copyRawTo(dst, raw); // each byte is read before a digit takes its place
    for (int i = 0; i < HEX / Long.BYTES; i++) {
      LONG.set(dst, start + i * Long.BYTES, digits((int) INT.get(dst, raw + i * Integer.BYTES)));
    }
  }

  /** The digits of four bytes, in their order in memory, as the first byte of either is lowest. */
  private static long digits(int bytes) {
    long x = bytes & 0xffffffffL;
    x = (x | (x << 16)) & 0x0000ffff0000ffffL;
    x = (x | (x << 8)) & 0x00ff00ff00ff00ffL;
    x = ((x >>> 4) | (x << 8)) & 0x0f0f0f0f0f0f0f0fL;
    long letters = ((x + 6 * ONES) >>> 4) & ONES;
    return x + '0' * ONES + letters * ('a' - '9' - 1);
  }
}
