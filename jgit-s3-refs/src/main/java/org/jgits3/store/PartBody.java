// SPDX-License-Identifier: Apache-2.0
package org.jgits3.store;

import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Objects;

/**
 * The bytes of a part: a slice of an array, which is sent without being copied.
 *
 * <p>Safe for use by many threads as long as the array does not change.
 */
public final class PartBody {
  private final byte[] array;
  private final int offset;
  private final int length;

  private PartBody(byte[] array, int offset, int length) {
    Objects.checkFromIndexSize(offset, length, array.length);
    this.array = array;
    this.offset = offset;
    this.length = length;
  }

  /**
   * A slice of an array.
   *
   * @param src array that holds the bytes; not copied
   * @param offset index of the first byte
   * @param length bytes, 0 or more
   * @return the body
   */
  public static PartBody of(byte[] src, int offset, int length) {
    return new PartBody(src, offset, length);
  }

  /**
   * Length of the part.
   *
   * @return bytes
   */
  public long size() {
    return length;
  }

  /**
   * Checksum of the part.
   *
   * @return CRC32C of its bytes
   */
  public int crc32c() {
    return Crc32c.of(array, offset, length);
  }

  /**
   * Digest of the part, for services that verify no other.
   *
   * @return MD5 of its bytes, 16 bytes
   */
  public byte[] md5() {
    MessageDigest digest;
    try {
      digest = MessageDigest.getInstance("MD5");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("a JDK has MD5", e);
    }
    digest.update(array, offset, length);
    return digest.digest();
  }

  /**
   * Opens the part at its beginning; called at least once for each attempt to send it.
   *
   * @return a new stream
   */
  public InputStream open() {
    return new ByteArrayInputStream(array, offset, length);
  }
}
