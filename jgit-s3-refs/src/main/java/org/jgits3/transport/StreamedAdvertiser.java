// SPDX-License-Identifier: Apache-2.0
package org.jgits3.transport;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.util.Collection;
import java.util.Set;
import org.eclipse.jgit.lib.AnyObjectId;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.Ref;
import org.eclipse.jgit.transport.PacketLineOut;
import org.eclipse.jgit.transport.RefAdvertiser.PacketLineOutRefAdvertiser;

/**
 * Writes an advertisement of protocol 0 as JGit does, in the order of C git. Refs that are only
 * listed are copied from the bytes of the table. Used by one thread.
 */
final class StreamedAdvertiser extends PacketLineOutRefAdvertiser {
  /** Capability that lets Git say why a client with another hash cannot fetch or push. */
  static final String OBJECT_FORMAT = "object-format=sha1";

  private static final int HEX = 40;
  private static final byte[] PEELED = "^{}".getBytes(UTF_8);

  private final RefPackets packets;
  private final boolean unborn;
  private boolean peels;
  private boolean streamed;

  /** Writes to a stream; {@code unborn} if {@link LsRefs} will answer the command. */
  StreamedAdvertiser(OutputStream out, boolean unborn) {
    super(packets(out));
    this.packets = new RefPackets(out);
    this.unborn = unborn;
  }

  private static PacketLineOut packets(OutputStream out) {
    PacketLineOut packets = new PacketLineOut(out);
    packets.setFlushOnEnd(false);
    return packets;
  }

  @Override
  public void setDerefTags(boolean deref) {
    peels = deref;
    super.setDerefTags(deref);
  }

  /**
   * Tells clients of protocol 2 the object format, and that {@link LsRefs} knows more than JGit's
   * command.
   */
  @Override
  protected void writeOne(CharSequence line) throws IOException {
    super.writeOne(unborn && line.toString().equals("ls-refs") ? "ls-refs=unborn" : line);
    if (line.toString().equals("version 2")) {
      super.writeOne(OBJECT_FORMAT);
    }
  }

  /** Returns no ids if it streams the refs, because wants are then looked up. */
  @Override
  public Set<ObjectId> send(Collection<Ref> refs) throws IOException {
    if (!(refs instanceof AdvertisedRefs.Values values)) {
      return super.send(refs);
    }
    try {
      values.all().writeTo(this::send);
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
    packets.flush();
    streamed = true;
    return Set.of();
  }

  /** Sends nothing after streamed refs, because the id is already among theirs. */
  @Override
  public void advertiseHave(AnyObjectId id) throws IOException {
    if (!streamed) {
      super.advertiseHave(id);
    }
  }

  private void send(byte[] bytes, int start, int end, int peeled) throws IOException {
    if (isEmpty()) {
      String name = new String(bytes, start + HEX + 1, end - start - HEX - 1, UTF_8);
      advertiseId(ObjectId.fromString(bytes, start), name); // with the capabilities
    } else {
      packets.begin().add(bytes, start, end).end();
    }
    if (peels && peeled >= 0) {
      packets
          .begin()
          .add(bytes, peeled, peeled + HEX)
          .add(bytes, start + HEX, end)
          .add(PEELED)
          .end();
    }
  }
}
