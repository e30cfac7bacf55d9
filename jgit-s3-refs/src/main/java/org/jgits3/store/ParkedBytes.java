// SPDX-License-Identifier: Apache-2.0
package org.jgits3.store;

import java.io.IOException;
import java.io.InputStream;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;

/**
 * Reads what was put aside, one piece after the other, through one array. Used by one thread, and
 * by no two for one array at a time.
 */
final class ParkedBytes extends InputStream {
  /** Asked before each piece, of which reading and sending takes a while. */
  @FunctionalInterface
  interface Check {
    /** Fails if the bytes are not wanted any more. */
    void check() throws IOException;
  }

  private final ObjectStore store;
  private final Iterator<ParkedPart> pieces;
  private final byte[] window;
  private final Check check;
  private int at;
  private int end;

  /**
   * Reads pieces. Does no request yet.
   *
   * @param store where they are
   * @param pieces the pieces in order
   * @param window array with room for the largest
   * @param check asked before each of them
   */
  ParkedBytes(ObjectStore store, List<ParkedPart> pieces, byte[] window, Check check) {
    this.store = store;
    this.pieces = pieces.iterator();
    this.window = window;
    this.check = check;
  }

  @Override
  public int read() throws IOException {
    return fill() ? window[at++] & 0xff : -1;
  }

  @Override
  public int read(byte[] dst, int offset, int length) throws IOException {
    Objects.checkFromIndexSize(offset, length, dst.length);
    if (length == 0) {
      return 0;
    }
    if (!fill()) {
      return -1;
    }
    int n = Math.min(length, end - at);
    System.arraycopy(window, at, dst, offset, n);
    at += n;
    return n;
  }

  private boolean fill() throws IOException {
    while (at == end) {
      if (!pieces.hasNext()) {
        return false;
      }
      check.check();
      ParkedPart next = pieces.next();
      next.readInto(store, window);
      at = 0;
      end = next.size();
    }
    return true;
  }
}
