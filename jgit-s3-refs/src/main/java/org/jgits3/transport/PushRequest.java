// SPDX-License-Identifier: Apache-2.0
package org.jgits3.transport;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import org.eclipse.jgit.annotations.Nullable;
import org.eclipse.jgit.errors.PackProtocolException;
import org.eclipse.jgit.lib.Constants;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.transport.PacketLineIn.InputOverLimitIOException;
import org.jgits3.internal.pack.AlikeIds;

/**
 * Request of a push, limited in the number of packets before its pack, and in ids of one hash code.
 * JGit limits the bytes that commands and push options contain, and keeps each option: without
 * another limit, empty ones fill the heap. After a refusal the rest can be read, and is not edited:
 * JGit skips it, so that the client reads why.
 */
final class PushRequest extends RequestPackets {
  /** Bytes that each packet counts for: those of the shortest line that names an object. */
  private static final int LEAST = 48;

  /** Packets that end the commands and the options. */
  private static final int ENDS = 2;

  private static final String SHALLOW = "shallow ";

  /**
   * Ids by their hash codes, as in the sets that are made of them; null up to the second line, as
   * most pushes have one.
   */
  @Nullable private AlikeIds named;

  private boolean begun;

  /** Packets that may still come. */
  private long left;

  /** True after the last command; options may follow. */
  private boolean afterCommands;

  /**
   * Limits a request.
   *
   * @param request the packets of the client, and the pack
   * @param limit maximum bytes of its commands and options; 0 for no limit
   */
  PushRequest(InputStream request, long limit) {
    super(request);
    this.left = limit > 0 ? limit / LEAST + ENDS : Long.MAX_VALUE;
  }

  @Override
  byte[] edit(byte[] packet) throws IOException {
    if (--left < 0) {
      pass();
      throw new InputOverLimitIOException();
    }
    afterCommands |= isFlush(packet);
    if (!afterCommands && !begun) {
      begun = true;
    } else if (!afterCommands) {
      named = named == null ? new AlikeIds() : named;
      String line = new String(packet, LENGTH, packet.length - LENGTH, UTF_8);
      if (line.startsWith(SHALLOW)) {
        named(line, SHALLOW.length());
      } else {
        named(line, 0);
        named(line, Constants.OBJECT_ID_STRING_LENGTH + 1);
      }
    }
    return packet;
  }

  /** Counts the id that JGit finds at a place of a line; it refuses a line that has none. */
  private void named(String line, int at) throws PackProtocolException {
    int end = at + Constants.OBJECT_ID_STRING_LENGTH;
    if (line.length() >= end && ObjectId.isId(line.substring(at, end))) {
      ObjectId id = ObjectId.fromString(line.substring(at, end));
      try {
        named.add(id, id.hashCode());
      } catch (PackProtocolException e) {
        pass();
        throw e;
      }
    }
  }

  /** Lets a pack pass, as what JGit refuses. */
  @Override
  byte[] other(byte[] bytes, String why) {
    return bytes;
  }
}
