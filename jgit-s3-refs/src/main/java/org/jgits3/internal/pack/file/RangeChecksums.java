// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.pack.file;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.zip.CRC32C;
import org.jgits3.store.Crc32c;

/**
 * CRC32C of each range of a pack, so that a part of the pack can be checked without the rest.
 *
 * <p>The checksums are stored behind the index of the pack, followed by their own CRC32C. A reader
 * gets them with the index, which it needs first anyway, and can also read them alone. Immutable.
 */
public final class RangeChecksums {
  /** Bytes of a range. Eight, with the header of their array, are half a MiB at most. */
  public static final int RANGE = (64 << 10) - 8;

  private final byte[] stored;
  private final long size;
  private final int range;

  private RangeChecksums(byte[] stored, long size, int range) {
    this.stored = stored;
    this.size = size;
    this.range = range;
  }

  /** Computes them while a pack is written. Used by one thread. */
  static final class Writer {
    private final CRC32C crc = new CRC32C();
    private final ByteArrayOutputStream sums = new ByteArrayOutputStream();
    private int filled;

    void update(byte[] bytes, int offset, int length) {
      for (int at = offset; at < offset + length; ) {
        int n = Math.min(RANGE - filled, offset + length - at);
        crc.update(bytes, at, n);
        filled += n;
        at += n;
        if (filled == RANGE) {
          endRange();
        }
      }
    }

    private void endRange() {
      add((int) crc.getValue());
      crc.reset();
      filled = 0;
    }

    private void add(int sum) {
      sums.writeBytes(ByteBuffer.allocate(Integer.BYTES).putInt(sum).array());
    }

    /** Completes the pack; returns the bytes to be stored. */
    byte[] end() {
      if (filled > 0) {
        endRange();
      }
      add(Crc32c.of(sums.toByteArray(), 0, sums.size()));
      return sums.toByteArray();
    }
  }

  /**
   * Bytes that are stored for a pack.
   *
   * @param size length of the pack in bytes
   * @param range bytes of a range
   */
  static int length(long size, int range) {
    return Math.toIntExact(Integer.BYTES * ((size + range - 1) / range + 1));
  }

  /**
   * Decodes the checksums of a pack.
   *
   * @param stored bytes returned by {@link Writer#end}
   * @param size length of the pack in bytes
   * @param range bytes of a range
   * @return the checksums; empty if the bytes are not valid
   */
  static Optional<RangeChecksums> of(byte[] stored, long size, int range) {
    int sums = stored.length - Integer.BYTES;
    return stored.length == length(size, range)
            && ByteBuffer.wrap(stored).getInt(sums) == Crc32c.of(stored, 0, sums)
        ? Optional.of(new RangeChecksums(stored, size, range))
        : Optional.empty();
  }

  byte[] stored() {
    return stored;
  }

  int range() {
    return range;
  }

  /**
   * Finds a damaged range.
   *
   * @param position offset of the bytes in the pack, the start of a range
   * @param bytes array with the bytes
   * @param offset first byte in the array
   * @param length number of bytes; they end with a range or with the pack
   * @return offset in the pack of the first damaged range; empty if there is none
   */
  OptionalLong damaged(long position, byte[] bytes, int offset, int length) {
    if (position % range != 0 || (length % range != 0 && position + length != size)) {
      throw new IllegalArgumentException(position + " to " + (position + length) + " of " + size);
    }
    CRC32C crc = new CRC32C();
    for (int at = 0; at < length; at += range) {
      crc.reset();
      crc.update(bytes, offset + at, Math.min(range, length - at));
      int sum = Math.toIntExact((position + at) / range) * Integer.BYTES;
      if (ByteBuffer.wrap(stored).getInt(sum) != (int) crc.getValue()) {
        return OptionalLong.of(position + at);
      }
    }
    return OptionalLong.empty();
  }
}
