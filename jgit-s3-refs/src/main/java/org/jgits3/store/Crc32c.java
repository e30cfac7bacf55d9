// SPDX-License-Identifier: Apache-2.0
package org.jgits3.store;

import java.util.zip.CRC32C;

/** CRC32C of bytes, and the message about a wrong one. */
public final class Crc32c {
  private Crc32c() {}

  /**
   * CRC32C of an array.
   *
   * @param bytes the array
   * @return its checksum
   */
  public static int of(byte[] bytes) {
    return of(bytes, 0, bytes.length);
  }

  /**
   * CRC32C of a part of an array.
   *
   * @param bytes the array
   * @param offset index of the first byte of the part
   * @param length length of the part in bytes
   * @return its checksum
   */
  public static int of(byte[] bytes, int offset, int length) {
    CRC32C crc = new CRC32C();
    crc.update(bytes, offset, length);
    return (int) crc.getValue();
  }

  /**
   * Formats the part of a message that describes damaged bytes.
   *
   * @param actual checksum of the bytes
   * @param expected checksum they should have
   * @return predicate of a sentence
   */
  public static String mismatch(int actual, int expected) {
    return String.format("has CRC32C %08x instead of %08x", actual, expected);
  }
}
