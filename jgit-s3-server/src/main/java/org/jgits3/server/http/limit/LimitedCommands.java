// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.http.limit;

import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import org.eclipse.jgit.transport.PacketLineIn.InputOverLimitIOException;

/**
 * Request of a push, limited in the number of packets before its pack. JGit limits the bytes that
 * commands and push options contain, and keeps each option: without another limit, empty ones fill
 * the heap. Used by one thread.
 */
public final class LimitedCommands extends InputStream {
  /** Bytes that each packet counts for: those of the shortest line that names an object. */
  private static final int LEAST = 48;

  /** Packets that end the commands and the options. */
  private static final int ENDS = 2;

  private static final int LENGTH_DIGITS = 4;
  private static final int HEX = 16;

  private final InputStream request;

  /** Packets that may still come. */
  private long left;

  private byte[] packet = {};
  private int at;

  /**
   * True once four bytes came that are no length, as those at the beginning of a pack, or too many
   * packets: JGit skips the rest, so that the client reads why.
   */
  private boolean pack;

  /**
   * Limits a request.
   *
   * @param request inflated request
   * @param limit maximum bytes of its commands and options; 0 for no limit
   */
  public LimitedCommands(InputStream request, long limit) {
    this.request = request;
    this.left = limit > 0 ? limit / LEAST + ENDS : Long.MAX_VALUE;
  }

  @Override
  public int read() throws IOException {
    byte[] one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : Byte.toUnsignedInt(one[0]);
  }

  @Override
  public int read(byte[] dst, int offset, int length) throws IOException {
    if (length == 0) {
      return 0;
    }
    if (at == packet.length && !pack) {
      next();
    }
    if (at == packet.length) {
      return request.read(dst, offset, length);
    }
    int count = Math.min(length, packet.length - at);
    System.arraycopy(packet, at, dst, offset, count);
    at += count;
    return count;
  }

  /** JGit asks this at the limit of a pack. */
  @Override
  public int available() throws IOException {
    return at < packet.length ? packet.length - at : request.available();
  }

  private void next() throws IOException {
    byte[] digits = request.readNBytes(LENGTH_DIGITS);
    int length = length(digits);
    pack = length < 0;
    packet = digits;
    at = 0;
    if (!pack && --left < 0) {
      pack = true;
      throw new InputOverLimitIOException();
    }
    byte[] content = request.readNBytes(Math.max(0, length - LENGTH_DIGITS));
    packet = Arrays.copyOf(digits, digits.length + content.length);
    System.arraycopy(content, 0, packet, digits.length, content.length);
  }

  /** Length that a packet begins with; -1 for other bytes. */
  private static int length(byte[] digits) {
    int length = digits.length == LENGTH_DIGITS ? 0 : -1;
    for (int i = 0; i < digits.length && length >= 0; i++) {
      int digit = Character.digit(digits[i], HEX);
      length = digit < 0 ? -1 : length * HEX + digit;
    }
    return length;
  }

  @Override
  public void close() throws IOException {
    request.close();
  }
}
