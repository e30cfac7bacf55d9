// SPDX-License-Identifier: Apache-2.0
package org.jgits3.transport;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.eclipse.jgit.errors.PackProtocolException;
import org.eclipse.jgit.lib.Constants;
import org.eclipse.jgit.lib.Ref;
import org.eclipse.jgit.transport.PacketLineIn;
import org.eclipse.jgit.transport.PacketLineOut;
import org.jgits3.internal.refs.snapshot.ShownRefs;

/** The command {@code ls-refs} of protocol 2. Used by one thread. */
final class LsRefs {
  private static final String COMMAND = "command=ls-refs";
  private static final String PREFIX = "ref-prefix ";
  private static final int LENGTH = 4;
  private static final int HEX = 40;
  private static final byte[] PEELED = " peeled:".getBytes(UTF_8);

  private final List<String> prefixes = new ArrayList<>();
  private boolean peel;
  private boolean symrefs;
  private boolean unborn;

  /**
   * Tests whether a request is this command, and leaves it unread.
   *
   * @param request request that can be marked
   */
  static boolean begins(BufferedInputStream request) throws IOException {
    int length = LENGTH + COMMAND.length();
    request.mark(length + 1);
    String start = new String(request.readNBytes(length), UTF_8);
    int next = request.read();
    request.reset();
    return start.equals(String.format("%04x", length) + COMMAND)
        || (start.equals(String.format("%04x", length + 1) + COMMAND) && next == '\n');
  }

  /** Reads a request. */
  static LsRefs read(InputStream request) throws IOException {
    LsRefs command = new LsRefs();
    PacketLineIn packets = new PacketLineIn(request);
    String line = packets.readString();
    while (!PacketLineIn.isDelimiter(line) && !PacketLineIn.isEnd(line)) {
      line = packets.readString(); // capabilities, of which none changes the answer
    }
    while (!PacketLineIn.isEnd(line)) {
      line = packets.readString();
      command.argument(line);
    }
    return command;
  }

  private void argument(String line) throws PackProtocolException {
    if (line.startsWith(PREFIX)) {
      prefixes.add(line.substring(PREFIX.length()));
    } else if (line.equals("peel")) {
      peel = true;
    } else if (line.equals("symrefs")) {
      symrefs = true;
    } else if (line.equals("unborn")) {
      unborn = true;
    } else if (!PacketLineIn.isEnd(line)) {
      throw new PackProtocolException("ls-refs: unexpected argument " + line);
    }
  }

  /** Answers with the refs that have one of the prefixes. */
  void answer(ShownRefs shown, OutputStream out) throws IOException {
    ShownRefs wanted = shown.under(prefixes);
    RefPackets packets = new RefPackets(out);
    Optional<Ref> head = wanted.unborn(Constants.HEAD);
    if (unborn && symrefs && head.isPresent()) {
      packets.begin().add(("unborn " + Constants.HEAD + target(head.get())).getBytes(UTF_8)).end();
    }
    wanted.writeTo(
        (bytes, start, end, peeled) -> add(packets.begin().add(bytes, start, end), bytes, peeled),
        (ref, bytes, end, peeled) -> {
          packets.begin().add(bytes, 0, end);
          if (symrefs) {
            packets.add(target(ref).getBytes(UTF_8));
          }
          add(packets, bytes, peeled);
        });
    packets.flush();
    new PacketLineOut(out).end();
  }

  private static String target(Ref symbolic) {
    return " symref-target:" + symbolic.getLeaf().getName();
  }

  private void add(RefPackets packets, byte[] bytes, int peeled) throws IOException {
    if (peel && peeled >= 0) {
      packets.add(PEELED).add(bytes, peeled, peeled + HEX);
    }
    packets.end();
  }
}
