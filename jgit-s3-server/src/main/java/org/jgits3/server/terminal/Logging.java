// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.terminal;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.joran.JoranConfigurator;
import ch.qos.logback.core.joran.spi.JoranException;
import org.slf4j.LoggerFactory;

/**
 * Sets the level of logging to standard error. A command prints the reason of a failure in one
 * line, so only errors are logged beside it; a server logs events for administrators.
 */
public final class Logging {
  private static final String PROJECT = "org.jgits3";

  private Logging() {}

  /** Logs all warnings, and the information messages of the server. */
  public static void server() {
    raise(Logger.ROOT_LOGGER_NAME, Level.WARN);
    raise(PROJECT, Level.INFO);
  }

  /** Logs all messages of the project, with whole stack traces. */
  public static void debug() {
    LoggerContext context = (LoggerContext) LoggerFactory.getILoggerFactory();
    context.reset();
    context.putProperty("stack", "%ex{full}");
    JoranConfigurator configurator = new JoranConfigurator();
    configurator.setContext(context);
    try {
      configurator.doConfigure(Logging.class.getResource("/logback.xml"));
    } catch (JoranException e) {
      throw new IllegalStateException("logback.xml is part of this program", e);
    }
    raise(Logger.ROOT_LOGGER_NAME, Level.WARN);
    raise(PROJECT, Level.DEBUG);
  }

  /** Raises the level and never lowers it, so that {@code --debug} wins at any position. */
  private static void raise(String name, Level level) {
    Logger logger = ((LoggerContext) LoggerFactory.getILoggerFactory()).getLogger(name);
    if (!logger.getEffectiveLevel().isGreaterOrEqual(level)) {
      return;
    }
    logger.setLevel(level);
  }
}
