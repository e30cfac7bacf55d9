// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.http;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.Ref;
import org.eclipse.jgit.lib.Repository;
import org.eclipse.jgit.transport.PacketLineIn;

/**
 * Commands at the beginning of a push, read before JGit reads them. They are unknown if there are
 * very many, or the push begins with anything else. Used by one thread.
 */
final class PeekedCommands {
  /** Maximum bytes of the commands. */
  private static final int LIMIT = 16 << 10;

  /** Maximum bytes to read ahead, with the lengths, and a packet that exceeds the limit. */
  private static final int AHEAD = 6 * LIMIT;

  /** Matches old value, new value, name in UTF-8, and capabilities in the first command. */
  private static final Pattern COMMAND =
      Pattern.compile("([0-9a-f]{40}) [0-9a-f]{40} ([^\\x00\\n\\x{fffd}]+)(\\x00[^\\n]*)?");

  private final List<Command> commands = new ArrayList<>();
  private final BufferedInputStream input;
  private final boolean complete;

  private record Command(ObjectId old, String name) {}

  private PeekedCommands(InputStream input) throws IOException {
    this.input = new BufferedInputStream(input);
    this.input.mark(AHEAD);
    this.complete = readCommands(new PacketLineIn(this.input, LIMIT));
    this.input.reset();
  }

  /**
   * Reads the commands of a push.
   *
   * @param input input from the client; continue reading from {@link #andRest}
   * @return the commands
   * @throws IOException if reading from the client fails
   */
  static PeekedCommands of(InputStream input) throws IOException {
    return new PeekedCommands(input);
  }

  /** Reads up to the end of the commands; false if they are not complete or not understood. */
  private boolean readCommands(PacketLineIn packets) {
    try {
      String line = packets.readString();
      while (!PacketLineIn.isEnd(line)) {
        Matcher command = COMMAND.matcher(line);
        if (!command.matches()) {
          return false;
        }
        commands.add(new Command(ObjectId.fromString(command.group(1)), command.group(2)));
        line = packets.readString();
      }
      return true;
    } catch (IOException e) { // also for what is no packet; JGit reads it again, and tells
      return false;
    }
  }

  /**
   * Tests whether the old value of each command is that of the ref in the repository.
   *
   * @param repository repository with the refs
   * @return false also if the commands are unknown
   * @throws IOException if refs cannot be read
   */
  boolean fit(Repository repository) throws IOException {
    if (!complete) {
      return false;
    }
    for (Command command : commands) {
      Ref ref = repository.exactRef(command.name());
      ObjectId known = ref == null ? null : ref.getObjectId();
      if (!command.old().equals(known == null ? ObjectId.zeroId() : known)) {
        return false;
      }
    }
    return true;
  }

  /** Whole input from the client, from its first byte. */
  InputStream andRest() {
    return input;
  }
}
