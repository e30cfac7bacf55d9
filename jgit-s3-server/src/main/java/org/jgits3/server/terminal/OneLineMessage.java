// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.terminal;

import ch.qos.logback.classic.pattern.ThrowableHandlingConverter;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.IThrowableProxy;

/**
 * Logs an event in one line: its message, each cause that adds information, and its values.
 * Collectors of single lines get all of it together.
 */
public final class OneLineMessage extends ThrowableHandlingConverter {
  /** Called by Logback, once for each pattern. */
  public OneLineMessage() {}

  @Override
  public String convert(ILoggingEvent event) {
    StringBuilder line = new StringBuilder(text(event));
    LogValues.append(line, event.getKeyValuePairs());
    return line.toString();
  }

  /** Message of an event with its causes, without its values. */
  static String text(ILoggingEvent event) {
    StringBuilder line = new StringBuilder(event.getFormattedMessage());
    for (IThrowableProxy reason = event.getThrowableProxy();
        reason != null;
        reason = reason.getCause()) {
      String text = reason.getMessage();
      if (text == null) {
        line.append(": ").append(reason.getClassName());
      } else if (line.indexOf(text) < 0) {
        line.append(": ").append(reason.getClassName()).append(": ").append(text);
      }
    }
    return LogLine.printable(line.toString());
  }
}
