// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.store.upload;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jgits3.store.PartBody;

/**
 * The part that an upload is filling. Its first bytes go to a small array of its own, so that a
 * short object and the end of a long one take no buffer; then they are moved to one.
 *
 * <p>Used by one thread at a time.
 */
final class FillingPart {
  /** Most bytes of the array of its own. */
  static final int OWN_BYTES = 64 << 10;

  private static final int FIRST_OWN_BYTES = 4 << 10;

  private final int most;
  private final List<byte[]> buffers;
  private byte[] own = new byte[FIRST_OWN_BYTES];

  /** Bytes in the last buffer; in the array of its own if there is none. */
  private int filled;

  /**
   * A part without bytes.
   *
   * @param most buffers that it takes at most
   */
  FillingPart(int most) {
    this.most = most;
    this.buffers = new ArrayList<>(most);
  }

  boolean hasRoomForABuffer() {
    return buffers.size() < most;
  }

  /** The buffers, to take one and to give them back. */
  List<byte[]> buffers() {
    return buffers;
  }

  long size() {
    return buffers.isEmpty() ? filled : (long) array().length * (buffers.size() - 1) + filled;
  }

  /**
   * Takes as much as there is room for.
   *
   * @return bytes taken; 0 if there is no room
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

  /** Goes on in a buffer that was added; what there was before is in the first one, or full. */
  void extended() {
    if (buffers.size() == 1) {
      System.arraycopy(own, 0, buffers.get(0), 0, filled);
    } else {
      filled = 0;
    }
  }

  /** All of it. Valid as long as nothing is appended. */
  PartBody body() {
    return buffers.isEmpty() ? PartBody.of(own, 0, filled) : PartBody.of(buffers, filled);
  }

  /** The array that holds all of it, if there are not several. */
  byte[] array() {
    return buffers.isEmpty() ? own : buffers.get(0);
  }
}
