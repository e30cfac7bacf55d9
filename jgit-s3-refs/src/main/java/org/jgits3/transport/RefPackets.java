// SPDX-License-Identifier: Apache-2.0
package org.jgits3.transport;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.OutputStream;

/** Writes small packets to a stream, through one buffer. Used by one thread. */
final class RefPackets {
  private static final byte[] DIGITS = "0123456789abcdef".getBytes(UTF_8);

  /** Bytes of the length that a packet begins with. */
  private static final int LENGTH = 4;

  /** Most bytes of a packet of Git. */
  private static final int LARGEST = 65_520;

  private final OutputStream out;
  private final byte[] buffer = new byte[2 * LARGEST];
  private int filled;
  private int start;

  RefPackets(OutputStream out) {
    this.out = out;
  }

  RefPackets begin() {
    start = filled;
    filled += LENGTH;
    return this;
  }

  RefPackets add(byte[] bytes, int from, int to) throws IOException {
    if (to - from >= start + LARGEST - filled) {
      throw new IOException("name of a ref is too long for a packet: " + (to - from) + " bytes");
    }
    System.arraycopy(bytes, from, buffer, filled, to - from);
    filled += to - from;
    return this;
  }

  RefPackets add(byte[] bytes) throws IOException {
    return add(bytes, 0, bytes.length);
  }

  /** Ends a packet with a line feed. */
  void end() throws IOException {
    buffer[filled++] = '\n';
    int length = filled - start;
    for (int at = start + LENGTH - 1; at >= start; at--) {
      buffer[at] = DIGITS[length & 0xf];
      length >>>= 4;
    }
    if (filled >= LARGEST) {
      flush();
    }
  }

  /** Writes the complete packets to the stream. */
  void flush() throws IOException {
    out.write(buffer, 0, filled);
    filled = 0;
  }
}
