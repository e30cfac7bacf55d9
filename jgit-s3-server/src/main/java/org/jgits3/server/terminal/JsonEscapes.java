// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.terminal;

import com.fasterxml.jackson.core.SerializableString;
import com.fasterxml.jackson.core.io.CharacterEscapes;
import com.fasterxml.jackson.core.io.SerializedString;

/**
 * Escapes in JSON, besides what the format requires, the characters that {@link LogLine#printable}
 * removes, because they could control a terminal. Parsers read the same value.
 */
public final class JsonEscapes extends CharacterEscapes {
  private static final long serialVersionUID = 1L;
  private static final int DELETE = 0x7f;

  @Override
  public int[] getEscapeCodesForAscii() {
    int[] codes = standardAsciiEscapesForJSON();
    codes[DELETE] = ESCAPE_STANDARD;
    return codes;
  }

  @Override
  public SerializableString getEscapeSequence(int character) {
    return LogLine.isPrintable((char) character)
        ? null
        : new SerializedString(String.format("\\u%04x", character));
  }
}
