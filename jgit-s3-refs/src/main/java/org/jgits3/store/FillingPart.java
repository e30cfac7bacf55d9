// SPDX-License-Identifier: Apache-2.0
package org.jgits3.store;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * The part that a stream is filling. Its first bytes go to a small array of the stream's own, so
 * that a short stream and the end of a long one take no buffer; then it is moved to buffers. What
 * was put aside comes before all that.
 *
 * <p>Used by one thread at a time.
 */
final class FillingPart {
  /** Most bytes of the stream's own array. */
  static final int OWN_BYTES = 64 << 10;

  private static final int FIRST_OWN_BYTES = 4 << 10;

  private final int bufferSize;
  private byte[] own = new byte[FIRST_OWN_BYTES];
  private List<byte[]> buffers = new ArrayList<>();
  private Optional<ParkedPart> parked = Optional.empty();

  /** Bytes in the last buffer; in the stream's own array if there is none. */
  private int filled;

  FillingPart(int bufferSize) {
    this.bufferSize = bufferSize;
  }

  boolean hasBuffers() {
    return !buffers.isEmpty();
  }

  /** What was put aside of it. */
  Optional<ParkedPart> parked() {
    return parked;
  }

  long size() {
    return parked.map(ParkedPart::size).orElse(0)
        + (long) bufferSize * Math.max(0, buffers.size() - 1)
        + filled;
  }

  /**
   * Takes as much as there is room for.
   *
   * @return bytes taken; 0 if there is no room
   */
  int append(byte[] src, int offset, int length) {
    byte[] last = hasBuffers() ? buffers.get(buffers.size() - 1) : ownFor(length);
    int room = hasBuffers() ? bufferSize : ownRoom();
    int n = Math.min(length, room - filled);
    System.arraycopy(src, offset, last, filled, n);
    filled += n;
    return n;
  }

  /** What is in the stream's own array must fit in a buffer behind what was put aside. */
  private int ownRoom() {
    return Math.min(OWN_BYTES, bufferSize - parked.map(ParkedPart::size).orElse(0));
  }

  private byte[] ownFor(int length) {
    int needed = (int) Math.min((long) filled + length, OWN_BYTES);
    if (needed > own.length) {
      own = Arrays.copyOf(own, Math.max(needed, Math.min(2 * own.length, OWN_BYTES)));
    }
    return own;
  }

  /** Moves everything to a buffer, the first of the part. */
  void moveTo(byte[] buffer, ObjectStore store) throws IOException {
    buffers.add(buffer);
    int aside = 0;
    if (parked.isPresent()) {
      parked.get().readInto(store, buffer);
      aside = parked.get().size();
      parked = Optional.empty();
    }
    System.arraycopy(own, 0, buffer, aside, filled);
    filled += aside;
  }

  /** Goes on in another buffer; the ones it has are full. */
  void add(byte[] buffer) {
    buffers.add(buffer);
    filled = 0;
  }

  /** Puts a part of one buffer aside. The buffer stays until {@link #restart}. */
  ParkedPart park(ParkedParts aside) throws IOException {
    return aside.put(buffers.get(0), filled);
  }

  /** All of it, none of which is put aside. Valid as long as nothing is appended. */
  PartBody body() {
    return hasBuffers() ? PartBody.of(buffers, filled) : PartBody.of(own, 0, filled);
  }

  /** The array that holds all of it, if there are not several. */
  byte[] array() {
    return hasBuffers() ? buffers.get(0) : own;
  }

  /**
   * Begins a new part.
   *
   * @param aside what was put aside of it
   * @return the buffers of the part before
   */
  List<byte[]> restart(Optional<ParkedPart> aside) {
    List<byte[]> before = buffers;
    buffers = new ArrayList<>();
    parked = aside;
    filled = 0;
    return before;
  }
}
