// SPDX-License-Identifier: Apache-2.0
package org.jgits3.transport;

import static java.nio.charset.StandardCharsets.US_ASCII;

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

  private static final byte[] FLUSH = "0000".getBytes(US_ASCII);

  private static final int HEX = 16;

  /** Length of the packet between the parts of a request; that of the end is 0. */
  private static final int DELIMITER = 1;

  private final InputStream in;
  private byte[] packet = {};
  private int at;

  /** True once the rest of the request passes as it is. */
  private boolean passing;

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

  /**
   * Takes bytes that are no packet.
   *
   * @param bytes the first bytes, up to one packet
   * @param why tells what is wrong with them
   * @return bytes that take their place; the rest of the request follows as it is
   * @throws PackProtocolException if the request cannot be served
   */
  byte[] other(byte[] bytes, String why) throws PackProtocolException {
    throw new PackProtocolException(why);
  }

  /** Tests whether a packet is the one that ends a part of a request; an empty one is not. */
  static boolean isFlush(byte[] packet) {
    return Arrays.equals(packet, FLUSH);
  }

  /** Lets the rest of the request pass as it is. */
  final void pass() {
    passing = true;
  }

  /** Reads a packet; returns false at the end of the request. */
  private boolean next() throws IOException {
    packet = new byte[0];
    at = 0;
    byte[] received;
    do {
      received = in.readNBytes(LENGTH);
      int length = received.length == 0 ? 0 : length(received);
      byte[] content = in.readNBytes(Math.max(0, length - LENGTH));
      received = Arrays.copyOf(received, received.length + content.length);
      System.arraycopy(content, 0, received, received.length - content.length, content.length);
      packet = received; // which can be read even if it is refused
      if (length < 0) {
        pass();
        packet = other(received, "a packet of the request begins without its length");
      } else if (received.length < length) {
        pass();
        packet = other(received, "the request ends within a packet");
      } else if (received.length > 0) {
        packet = edit(received);
      }
    } while (packet.length == 0 && received.length > 0);
    return packet.length > 0;
  }

  /**
   * Length that a packet begins with, -1 if there is none; that of one without content is below
   * {@link #LENGTH}.
   */
  private static int length(byte[] start) {
    int length = start.length == LENGTH ? 0 : -1;
    for (int i = 0; i < start.length && length >= 0; i++) {
      int value = Character.digit(start[i], HEX);
      length = value < 0 ? -1 : length * HEX + value;
    }
    return length > DELIMITER && length < LENGTH ? -1 : length;
  }

  @Override
  public int read() throws IOException {
    byte[] one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : Byte.toUnsignedInt(one[0]);
  }

  @Override
  public int read(byte[] into, int offset, int length) throws IOException {
    if (length == 0) {
      return 0;
    }
    if (at == packet.length && passing) {
      return in.read(into, offset, length);
    }
    if (at == packet.length && !next()) {
      return -1;
    }
    int count = Math.min(length, packet.length - at);
    System.arraycopy(packet, at, into, offset, count);
    at += count;
    return count;
  }

  /** JGit asks this at the limit of a pack. */
  @Override
  public int available() throws IOException {
    return at < packet.length ? packet.length - at : in.available();
  }

  @Override
  public void close() throws IOException {
    in.close();
  }
}
