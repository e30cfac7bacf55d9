// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.http;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.Ref;
import org.eclipse.jgit.lib.Repository;

/**
 * Commands at the beginning of a push, read before JGit reads them. They are unknown if there are
 * very many, or the push begins with anything else. Used by one thread.
 */
final class PeekedCommands {
  /** Maximum bytes to read ahead. */
  private static final int LIMIT = 16 << 10;

  private static final int LENGTH_DIGITS = 4;
  private static final int HEX = 16;

  /** Matches old value, new value, name in UTF-8, and capabilities in the first command. */
  private static final Pattern COMMAND =
      Pattern.compile("([0-9a-f]{40}) [0-9a-f]{40} ([^\\x00\\n\\x{fffd}]+)(\\x00[^\\n]*)?\\n?");

  private final ByteArrayOutputStream read = new ByteArrayOutputStream();
  private final List<Command> commands = new ArrayList<>();
  private final InputStream rest;
  private final boolean complete;

  private record Command(ObjectId old, String name) {}

  private PeekedCommands(InputStream rest) throws IOException {
    this.rest = rest;
    this.complete = readCommands();
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
  private boolean readCommands() throws IOException {
    while (read.size() < LIMIT) {
      String digits = take(LENGTH_DIGITS);
      if (digits.equals("0000")) {
        return true;
      }
      if (!digits.matches("[0-9a-fA-F]{4}")) {
        return false;
      }
      int length = Integer.parseInt(digits, HEX) - LENGTH_DIGITS;
      Matcher command = COMMAND.matcher(length > 0 ? take(length) : "");
      if (!command.matches()) {
        return false;
      }
      commands.add(new Command(ObjectId.fromString(command.group(1)), command.group(2)));
    }
    return false;
  }

  private String take(int length) throws IOException {
    byte[] bytes = rest.readNBytes(length);
    read.writeBytes(bytes);
    return new String(bytes, UTF_8);
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
    return new SequenceInputStream(new ByteArrayInputStream(read.toByteArray()), rest);
  }
}
