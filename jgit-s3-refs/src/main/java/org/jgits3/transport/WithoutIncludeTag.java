// SPDX-License-Identifier: Apache-2.0
package org.jgits3.transport;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import org.jgits3.internal.function.IoSupplier;

/**
 * Packets of a client's request, without the packet {@code include-tag} of protocol 2 if tags are
 * hidden. Reads no further than the end of the current packet. Used by one thread.
 */
final class WithoutIncludeTag extends InputStream {
  private static final byte[] INCLUDE_TAG = "include-tag".getBytes(US_ASCII);
  private static final int LENGTH = 4;
  private static final int HEX = 16;

  private final InputStream in;
  private final IoSupplier<Boolean> tagsHidden;
  private byte[] packet = {};
  private int at;

  /**
   * Reads a request.
   *
   * @param request the packets of the client
   * @param tagsHidden tests whether there are hidden tags; called when the packet arrives
   */
  WithoutIncludeTag(InputStream request, IoSupplier<Boolean> tagsHidden) {
    this.in = request;
    this.tagsHidden = tagsHidden;
  }

  /** Reads a packet; returns false at the end of the request. */
  private boolean next() throws IOException {
    do {
      at = 0;
      byte[] start = in.readNBytes(LENGTH);
      byte[] payload = in.readNBytes(Math.max(0, length(start) - LENGTH));
      packet = Arrays.copyOf(start, start.length + payload.length);
      System.arraycopy(payload, 0, packet, start.length, payload.length);
    } while (isIncludeTag() && tagsHidden.get());
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

  private boolean isIncludeTag() {
    int end = LENGTH + INCLUDE_TAG.length;
    return (packet.length == end || (packet.length == end + 1 && packet[end] == '\n'))
        && Arrays.equals(packet, LENGTH, end, INCLUDE_TAG, 0, INCLUDE_TAG.length);
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
