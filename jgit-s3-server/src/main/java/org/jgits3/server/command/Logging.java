// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.command;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.joran.JoranConfigurator;
import ch.qos.logback.core.joran.spi.JoranException;
import org.slf4j.LoggerFactory;

/**
 * How much is logged to standard error. A command says in one line why it failed, so that nothing
 * but errors is logged beside it; a server logs what an administrator wants to know.
 */
final class Logging {
  private static final String PROJECT = "org.jgits3";

  private Logging() {}

  /** Warnings of everything and the server's own notes. */
  static void server() {
    raise(Logger.ROOT_LOGGER_NAME, Level.WARN);
    raise(PROJECT, Level.INFO);
  }

  /** All that the project logs, with whole stack traces. */
  static void debug() {
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

  /** Never lowers a level: {@code --debug} wins wherever it stands. */
  private static void raise(String name, Level level) {
    Logger logger = ((LoggerContext) LoggerFactory.getILoggerFactory()).getLogger(name);
    if (!logger.getEffectiveLevel().isGreaterOrEqual(level)) {
      return;
    }
    logger.setLevel(level);
  }
}
