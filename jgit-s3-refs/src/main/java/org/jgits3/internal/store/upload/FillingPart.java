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

  private final List<byte[]> buffer = new ArrayList<>(1);
  private byte[] own = new byte[FIRST_OWN_BYTES];
  private int filled;

  /** Returns the list of the buffer, which the caller adds and gives back; empty before. */
  List<byte[]> buffer() {
    return buffer;
  }

  int size() {
    return filled;
  }

  /**
   * Appends as many bytes as there is room for.
   *
   * @return bytes appended; 0 if there is no room
   */
  int append(byte[] src, int offset, int length) {
    byte[] to = buffer.isEmpty() ? ownFor(length) : buffer.get(0);
    int n = Math.min(length, to.length - filled);
    System.arraycopy(src, offset, to, filled, n);
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

  /** Continues in the buffer that the caller has just added to {@link #buffer}. */
  void extended() {
    System.arraycopy(own, 0, buffer.get(0), 0, filled);
  }

  /** Content of the part. Valid until more is appended. */
  PartBody body() {
    return PartBody.of(array(), 0, filled);
  }

  /** Array that begins with the content. */
  byte[] array() {
    return buffer.isEmpty() ? own : buffer.get(0);
  }
}
