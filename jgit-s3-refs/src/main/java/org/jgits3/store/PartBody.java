// SPDX-License-Identifier: Apache-2.0
package org.jgits3.store;

import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Collections;
import java.util.List;
import java.util.zip.CRC32C;

/**
 * The bytes of a part: a sequence of array slices, which are sent without being copied.
 *
 * <p>Safe for use by many threads as long as the arrays do not change.
 */
public final class PartBody {
  private final List<Slice> slices;

  @SuppressWarnings("ArrayRecordComponent") // shared on purpose, never compared
  private record Slice(byte[] array, int offset, int length) {
    InputStream open() {
      return new ByteArrayInputStream(array, offset, length);
    }

    void update(CRC32C crc) {
      crc.update(array, offset, length);
    }

    void update(MessageDigest digest) {
      digest.update(array, offset, length);
    }
  }

  private PartBody(List<Slice> slices) {
    this.slices = slices;
  }

  /**
   * A slice of one array.
   *
   * @param src array that holds the bytes; not copied
   * @param offset index of the first byte
   * @param length bytes, 0 or more
   * @return the body
   */
  public static PartBody of(byte[] src, int offset, int length) {
    return new PartBody(List.of(new Slice(src, offset, length)));
  }

  /**
   * A sequence of arrays, all of them full except the last.
   *
   * @param arrays the arrays, at least one; not copied
   * @param inLast bytes in the last one
   * @return the body
   */
  public static PartBody of(List<byte[]> arrays, int inLast) {
    byte[] last = arrays.get(arrays.size() - 1);
    return new PartBody(
        arrays.stream().map(a -> new Slice(a, 0, a == last ? inLast : a.length)).toList());
  }

  /**
   * Length of the part.
   *
   * @return bytes
   */
  public long size() {
    return slices.stream().mapToLong(Slice::length).sum();
  }

  /**
   * Checksum of the part.
   *
   * @return CRC32C of its bytes
   */
  public int crc32c() {
    CRC32C crc = new CRC32C();
    slices.forEach(slice -> slice.update(crc));
    return (int) crc.getValue();
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
    slices.forEach(slice -> slice.update(digest));
    return digest.digest();
  }

  /**
   * Opens the part at its beginning; called at least once for each attempt to send it.
   *
   * @return a new stream
   */
  public InputStream open() {
    List<InputStream> streams = slices.stream().map(Slice::open).toList();
    return streams.size() == 1
        ? streams.get(0)
        : new SequenceInputStream(Collections.enumeration(streams));
  }
}
