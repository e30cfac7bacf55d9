// SPDX-License-Identifier: Apache-2.0
package org.jgits3.transport;

import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;

/**
 * Packets of a client's request, edited one by one. Reads no further than the end of the current
 * packet. Used by one thread.
 */
abstract class RequestPackets extends InputStream {
  /** Bytes of the length that a packet begins with. */
  static final int LENGTH = 4;

  private static final int HEX = 16;

  private final InputStream in;
  private byte[] packet = {};
  private int at;

  /**
   * Reads a request.
   *
   * @param request the packets of the client
   */
  RequestPackets(InputStream request) {
    this.in = request;
  }

  /**
   * Edits a packet.
   *
   * @param packet as the client sends it, with its length
   * @return bytes that take its place, possibly none
   * @throws IOException if the request cannot be served
   */
  abstract byte[] edit(byte[] packet) throws IOException;

  /** Reads a packet; returns false at the end of the request. */
  private boolean next() throws IOException {
    at = 0;
    byte[] received;
    do {
      byte[] start = in.readNBytes(LENGTH);
      byte[] payload = in.readNBytes(Math.max(0, length(start) - LENGTH));
      received = Arrays.copyOf(start, start.length + payload.length);
      System.arraycopy(payload, 0, received, start.length, payload.length);
      packet = received.length == 0 ? received : edit(received);
    } while (packet.length == 0 && received.length > 0);
    return packet.length > 0;
  }

  /** Length that a packet begins with; 0 if it is not valid, which JGit reports to the client. */
  private static int length(byte[] start) {
    int length = 0;
    for (byte digit : start) {
      int value = Character.digit(digit, HEX);
      if (value < 0) {
        return 0;
      }
      length = length * HEX + value;
    }
    return start.length == LENGTH ? length : 0;
  }

  @Override
  public int read() throws IOException {
    return at < packet.length || next() ? packet[at++] & 0xff : -1;
  }

  @Override
  public int read(byte[] into, int offset, int length) throws IOException {
    if (length == 0) {
      return 0;
    }
    if (at == packet.length && !next()) {
      return -1;
    }
    int count = Math.min(length, packet.length - at);
    System.arraycopy(packet, at, into, offset, count);
    at += count;
    return count;
  }

  @Override
  public void close() throws IOException {
    in.close();
  }
}
