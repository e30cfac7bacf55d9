// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.terminal;

import java.io.Console;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/** Reads a new password. No password is an argument, which other users of the machine can see. */
public final class NewPassword {
  /** Maximum number of bytes to read; no password is as long. */
  private static final int MAX_BYTES = 1024;

  private NewPassword() {}

  /**
   * Asks for a password on the terminal, twice and without echo.
   *
   * @param user user whose password it will be
   * @return the password
   * @throws IOException if there is no terminal, or the two differ
   */
  @SuppressWarnings("SystemConsoleNull") // no longer null since JDK 22, but for this provider
  public static String typed(String user) throws IOException {
    System.setProperty("jdk.console", "java.base");
    Console console = System.console();
    if (console == null) {
      throw new IOException("no terminal to type a password on; use --password-stdin");
    }
    String password = ask(console, "Password of " + LogLine.printable(user) + ": ");
    if (!password.equals(ask(console, "Once more: "))) {
      throw new IOException("the passwords differ; nothing was changed");
    }
    return password;
  }

  private static String ask(Console console, String prompt) throws IOException {
    char[] typed = console.readPassword("%s", prompt);
    if (typed == null) {
      throw new IOException("no password; nothing was changed");
    }
    return new String(typed);
  }

  /**
   * Reads a password, and the end of the line after it.
   *
   * @param in standard input
   * @return the password
   * @throws IOException if the input is longer than a password or not UTF-8
   */
  public static String read(InputStream in) throws IOException {
    byte[] bytes = in.readNBytes(MAX_BYTES + 1);
    if (bytes.length > MAX_BYTES) {
      throw new IOException("standard input is longer than a password");
    }
    try {
      String text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
      return text.replaceFirst("\r?\n$", "");
    } catch (CharacterCodingException e) {
      throw new IOException("the password is not UTF-8", e);
    }
  }
}
