// SPDX-License-Identifier: Apache-2.0
package org.jgits3.testing;

import java.util.List;

/**
 * Result of one run of {@code git}.
 *
 * @param command the command line, for messages
 * @param exitCode its exit code
 * @param stdout its output, read as UTF-8
 * @param stderr its error output, read as UTF-8
 */
public record GitResult(List<String> command, int exitCode, String stdout, String stderr) {
  /**
   * Tests whether git succeeded.
   *
   * @return true for exit code 0
   */
  public boolean ok() {
    return exitCode == 0;
  }

  /**
   * The printed lines.
   *
   * @return lines of {@link #stdout}, in order
   */
  public List<String> lines() {
    return stdout.lines().toList();
  }

  @Override
  public String toString() {
    return String.join(" ", command)
        + "\nexit code "
        + exitCode
        + "\n--- stdout\n"
        + end(stdout)
        + "\n--- stderr\n"
        + end(stderr);
  }

  /** The end of a long text: what matters of git's output is at its end. */
  private static String end(String text) {
    int most = 8_000;
    return text.length() <= most ? text : "[...]" + text.substring(text.length() - most);
  }
}
