// SPDX-License-Identifier: Apache-2.0
package org.jgits3.testing.aid;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import org.eclipse.jgit.lib.AnyObjectId;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.transport.PacketLineOut;

/** Bodies of the requests that Git clients send, packet by packet. */
public final class GitRequests {
  private GitRequests() {}

  /** Writes packets. */
  @FunctionalInterface
  public interface Packets {
    /**
     * Writes some packets.
     *
     * @param out where to; the end of the request follows
     */
    void writeTo(PacketLineOut out) throws IOException;
  }

  /** A request of any packets and the packet that ends it. */
  public static byte[] of(Packets packets) {
    ByteArrayOutputStream body = new ByteArrayOutputStream();
    PacketLineOut out = new PacketLineOut(body);
    try {
      packets.writeTo(out);
      out.end();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return body.toByteArray();
  }

  /** A command of protocol 2. */
  public static byte[] command(String command, String... arguments) {
    return of(
        out -> {
          out.writeString("command=" + command + "\n");
          out.writeDelim();
          for (String argument : arguments) {
            out.writeString(argument + "\n");
          }
        });
  }

  /** A fetch of one object in protocol 2, by a client that has none. */
  public static byte[] fetch(ObjectId want) {
    return command("fetch", "want " + want.name(), "done");
  }

  /** A push that sets one ref. */
  public static byte[] push(AnyObjectId from, AnyObjectId to, String ref, byte[] pack) {
    String command = from.name() + " " + to.name() + " " + ref + "\0report-status ofs-delta";
    ByteArrayOutputStream body = new ByteArrayOutputStream();
    body.writeBytes(of(out -> out.writeString(command)));
    body.writeBytes(pack);
    return body.toByteArray();
  }
}
