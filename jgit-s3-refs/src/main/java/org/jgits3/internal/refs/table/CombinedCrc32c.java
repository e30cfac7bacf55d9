// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.refs.table;

/**
 * Joins the CRC32Cs of pieces that were read at the same time to that of the whole.
 *
 * <p>A CRC is the remainder of a polynomial over the bits 0 and 1: appending bytes multiplies the
 * remainder by a power of x, and adds the remainder of the appended bytes.
 */
final class CombinedCrc32c {
  /** Remainders have the coefficient of x^0 in their highest bit, as the checksum has. */
  private static final int ONE = 1 << 31;

  /** The polynomial of CRC32C without its highest term. */
  private static final int CASTAGNOLI = 0x82f63b78;

  /** x^8: a byte. */
  private static final int BYTE = ONE >>> 8;

  private CombinedCrc32c() {}

  /**
   * CRC32C of two pieces, one after the other.
   *
   * @param first CRC32C of the first piece; 0 for an empty one
   * @param second CRC32C of the second piece
   * @param length bytes of the second piece
   * @return CRC32C of both
   */
  static int append(int first, int second, long length) {
    int shift = ONE;
    int square = BYTE;
    for (long rest = length; rest > 0; rest >>>= 1) {
      if ((rest & 1) != 0) {
        shift = times(shift, square);
      }
      square = times(square, square);
    }
    return times(first, shift) ^ second;
  }

  private static int times(int a, int b) {
    int product = 0;
    int shifted = b;
    for (int bits = a; bits != 0; bits <<= 1) {
      if (bits < 0) {
        product ^= shifted;
      }
      shifted = shifted >>> 1 ^ ((shifted & 1) != 0 ? CASTAGNOLI : 0);
    }
    return product;
  }
}
