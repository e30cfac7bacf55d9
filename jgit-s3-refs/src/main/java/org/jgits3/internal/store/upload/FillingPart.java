// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.store.upload;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jgits3.store.PartBody;

/**
 * Part that an upload is filling. Its first bytes go to a small private array, so that a short
 * object and the end of a long one need no buffer. When the array is full, they move to a buffer.
 *
 * <p>Used by one thread at a time.
 */
final class FillingPart {
  /** Largest size of the private array in bytes. */
  static final int OWN_BYTES = 64 << 10;

  private static final int FIRST_OWN_BYTES = 4 << 10;

  private final int most;
  private final List<byte[]> buffers;
  private byte[] own = new byte[FIRST_OWN_BYTES];

  /** Bytes in the last buffer; in the private array if there is no buffer. */
  private int filled;

  /**
   * A part without bytes.
   *
   * @param most largest number of buffers
   */
  FillingPart(int most) {
    this.most = most;
    this.buffers = new ArrayList<>(most);
  }

  boolean hasRoomForABuffer() {
    return buffers.size() < most;
  }

  /** Returns the buffers, a list that the caller adds to and gives back. */
  List<byte[]> buffers() {
    return buffers;
  }

  long size() {
    return buffers.isEmpty() ? filled : (long) array().length * (buffers.size() - 1) + filled;
  }

  /**
   * Appends as many bytes as there is room for.
   *
   * @return bytes appended; 0 if there is no room
   */
  int append(byte[] src, int offset, int length) {
    byte[] last = buffers.isEmpty() ? ownFor(length) : buffers.get(buffers.size() - 1);
    int n = Math.min(length, last.length - filled);
    System.arraycopy(src, offset, last, filled, n);
    filled += n;
    return n;
  }

  private byte[] ownFor(int length) {
    int needed = (int) Math.min((long) filled + length, OWN_BYTES);
    if (needed > own.length) {
      own = Arrays.copyOf(own, Math.max(needed, Math.min(2 * own.length, OWN_BYTES)));
    }
    return own;
  }

  /**
   * Continues in the buffer that the caller has just added to {@link #buffers}. The first buffer
   * begins with the bytes of the private array.
   */
  void extended() {
    if (buffers.size() == 1) {
      System.arraycopy(own, 0, buffers.get(0), 0, filled);
    } else {
      filled = 0;
    }
  }

  /** Content of the part. Valid until more is appended. */
  PartBody body() {
    return buffers.isEmpty() ? PartBody.of(own, 0, filled) : PartBody.of(buffers, filled);
  }

  /** Array that holds the whole content, if there is only one. */
  byte[] array() {
    return buffers.isEmpty() ? own : buffers.get(0);
  }
}
