// SPDX-License-Identifier: Apache-2.0
package org.jgits3.store;

import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.util.Collections;
import java.util.List;
import java.util.function.IntSupplier;
import java.util.function.Supplier;
import java.util.zip.CRC32C;

/**
 * The bytes of a part: slices of arrays, one after the other, that are sent from where they are; or
 * what can be read as often as it is sent.
 *
 * <p>Safe for use by many threads as long as nobody changes the arrays.
 */
public final class PartBody {
  private final long size;
  private final IntSupplier checksum;
  private final Supplier<InputStream> content;

  /** Empty if the bytes are not in memory. */
  private final List<Slice> slices;

  /** Some bytes of an array. */
  @SuppressWarnings("ArrayRecordComponent") // shared on purpose, never compared
  record Slice(byte[] array, int offset, int length) {
    InputStream open() {
      return new ByteArrayInputStream(array, offset, length);
    }

    void update(CRC32C crc) {
      crc.update(array, offset, length);
    }
  }

  private PartBody(
      long size, IntSupplier checksum, Supplier<InputStream> content, List<Slice> slices) {
    this.size = size;
    this.checksum = checksum;
    this.content = content;
    this.slices = slices;
  }

  private static PartBody of(List<Slice> slices) {
    return new PartBody(
        slices.stream().mapToLong(Slice::length).sum(),
        () -> checksumOf(slices),
        () -> open(slices),
        slices);
  }

  private static int checksumOf(List<Slice> slices) {
    CRC32C crc = new CRC32C();
    slices.forEach(slice -> slice.update(crc));
    return (int) crc.getValue();
  }

  private static InputStream open(List<Slice> slices) {
    List<InputStream> streams = slices.stream().map(Slice::open).toList();
    return streams.size() == 1
        ? streams.get(0)
        : new SequenceInputStream(Collections.enumeration(streams));
  }

  /**
   * A slice of one array.
   *
   * @param src array that holds the bytes; not copied
   * @param offset where they begin
   * @param length bytes, 0 or more
   * @return the body
   */
  public static PartBody of(byte[] src, int offset, int length) {
    return of(List.of(new Slice(src, offset, length)));
  }

  /**
   * Arrays that are full, except for the last one.
   *
   * @param arrays the arrays, at least one; not copied
   * @param inLast bytes in the last one
   * @return the body
   */
  static PartBody of(List<byte[]> arrays, int inLast) {
    byte[] last = arrays.get(arrays.size() - 1);
    return of(arrays.stream().map(a -> new Slice(a, 0, a == last ? inLast : a.length)).toList());
  }

  /**
   * Bytes that are not in memory.
   *
   * @param size how many
   * @param crc32c their checksum
   * @param content reads them from the beginning; one stream at a time
   * @return the body
   */
  static PartBody of(long size, int crc32c, Supplier<InputStream> content) {
    return new PartBody(size, () -> crc32c, content, List.of());
  }

  /**
   * How long the part is.
   *
   * @return bytes
   */
  public long size() {
    return size;
  }

  /**
   * Checksum of the part.
   *
   * @return CRC32C of its bytes
   */
  public int crc32c() {
    return checksum.getAsInt();
  }

  /**
   * Reads the part from its beginning, as often as it is sent.
   *
   * @return a new stream
   */
  InputStream open() {
    return content.get();
  }

  /** Goes on with a checksum over its bytes, which are in memory. */
  void updateChecksum(CRC32C crc) {
    slices.forEach(slice -> slice.update(crc));
  }

  /** The slices in order; none if the bytes are not in memory. */
  List<Slice> slices() {
    return slices;
  }
}
