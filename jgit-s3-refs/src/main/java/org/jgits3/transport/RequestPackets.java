// SPDX-License-Identifier: Apache-2.0
package org.jgits3.transport;

import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import org.eclipse.jgit.errors.PackProtocolException;

/**
 * Packets of a client's request, edited one by one. Reads no further than the end of the current
 * packet. Used by one thread.
 */
abstract class RequestPackets extends InputStream {
  /** Bytes of the length that a packet begins with. */
  static final int LENGTH = 4;

  private static final int HEX = 16;

  /** Length of the packet between the parts of a request; that of the end is 0. */
  private static final int DELIMITER = 1;

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
    packet = new byte[0];
    at = 0;
    byte[] received;
    do {
      byte[] start = in.readNBytes(LENGTH);
      int length = start.length == 0 ? 0 : length(start);
      byte[] payload = in.readNBytes(Math.max(0, length - LENGTH));
      if (LENGTH + payload.length < length) {
        throw new PackProtocolException("the request ends within a packet");
      }
      received = Arrays.copyOf(start, start.length + payload.length);
      System.arraycopy(payload, 0, received, start.length, payload.length);
      packet = received.length == 0 ? received : edit(received);
    } while (packet.length == 0 && received.length > 0);
    return packet.length > 0;
  }

  /** Length that a packet begins with; one without content has a length below {@link #LENGTH}. */
  private static int length(byte[] start) throws PackProtocolException {
    int length = start.length == LENGTH ? 0 : -1;
    for (int i = 0; i < start.length && length >= 0; i++) {
      int value = Character.digit(start[i], HEX);
      length = value < 0 ? -1 : length * HEX + value;
    }
    if (length < 0 || (length > DELIMITER && length < LENGTH)) {
      throw new PackProtocolException("a packet of the request begins without its length");
    }
    return length;
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
