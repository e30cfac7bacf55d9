// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.terminal;

import java.util.List;
import org.eclipse.jgit.annotations.Nullable;
import org.slf4j.event.KeyValuePair;

/**
 * Formats the values of a line of the log as {@code KEY=VALUE}. A value with a space, a quote, an
 * equals sign or a character that does not print stands in quotes, as a string of JSON. So no value
 * ends its line, or looks like another value.
 */
final class LogValues {
  private LogValues() {}

  /** Adds values to a line, each after a space. */
  static void append(StringBuilder line, @Nullable List<KeyValuePair> values) {
    if (values == null) {
      return;
    }
    for (KeyValuePair pair : values) {
      line.append(' ').append(pair.key).append('=');
      append(line, String.valueOf(pair.value));
    }
  }

  private static void append(StringBuilder line, String value) {
    if (!value.isEmpty() && value.codePoints().allMatch(LogValues::isPlain)) {
      line.append(value);
      return;
    }
    line.append('"');
    value.codePoints().forEach(character -> quote(line, character));
    line.append('"');
  }

  private static boolean isPlain(int character) {
    return LogLine.isPrintable(character)
        && !Character.isSpaceChar(character)
        && character != '='
        && character != '"'
        && character != '\\';
  }

  private static void quote(StringBuilder line, int character) {
    if (character == '"' || character == '\\') {
      line.append('\\').append((char) character);
    } else if (LogLine.isPrintable(character)) {
      line.appendCodePoint(character);
    } else {
      for (char unit : Character.toChars(character)) {
        line.append(String.format("\\u%04x", (int) unit));
      }
    }
  }
}
