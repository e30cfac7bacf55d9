// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.terminal;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.joran.JoranConfigurator;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.LoggingEvent;
import ch.qos.logback.core.ConsoleAppender;
import ch.qos.logback.core.encoder.Encoder;
import ch.qos.logback.core.joran.spi.JoranException;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.slf4j.LoggerFactory;
import org.slf4j.event.KeyValuePair;

/**
 * Sets the levels, the form and the destination of logging, which is standard error. A command
 * prints the reason of a failure in one line, so only errors are logged beside it; a server logs
 * events for administrators, and accesses.
 */
public final class Logging {
  /** Name of the logger of accesses: INFO for pushes and logins, DEBUG for all requests. */
  public static final String ACCESS = "org.jgits3.access";

  private static final String PROJECT = "org.jgits3";
  private static final String APPENDER = "STDERR";

  /** Property that has a pattern for stack traces, if these are to be logged. */
  private static final String STACK = "stack";

  /** Bytes of lines that wait for the destination: those of some 30,000 changes of refs. */
  private static final int QUEUE = 8 << 20;

  /** Time at the end for the destination to take lines. */
  private static final Duration LAST_LINES = Duration.ofSeconds(5);

  private static volatile Optional<LogQueue> queue = Optional.empty();

  private Logging() {}

  /** Form of the lines of a server. */
  public enum Format {
    /** Lines for people. */
    TEXT,
    /** One JSON object in each line. */
    JSON
  }

  /** Accesses that are logged. */
  public enum Accesses {
    /** None. */
    OFF,
    /** Pushes, refused logins, start and stop. */
    PUSHES,
    /** All requests, too. */
    ALL
  }

  /** Least severe messages of the project that are logged. */
  public enum Least {
    ERROR,
    WARN,
    INFO,
    DEBUG
  }

  /**
   * Logs as a server does: through a queue, so that no request waits for standard error. Levels and
   * appenders of a configuration other than that of the program stay as they are.
   */
  public static void server(Least level, Accesses accesses, Format format) {
    if (context().getLogger(Logger.ROOT_LOGGER_NAME).getAppender(APPENDER)
        instanceof ConsoleAppender<ILoggingEvent> console) {
      enqueue(console, format);
    }
    Level least = Level.toLevel(level.name());
    raise(Logger.ROOT_LOGGER_NAME, least.isGreaterOrEqual(Level.WARN) ? least : Level.WARN);
    raise(PROJECT, least);
    context()
        .getLogger(ACCESS)
        .setLevel(
            switch (accesses) {
              case OFF -> Level.OFF;
              case PUSHES -> Level.INFO;
              case ALL -> Level.DEBUG;
            });
  }

  private static void enqueue(ConsoleAppender<ILoggingEvent> console, Format format) {
    boolean stacks = context().getProperty(STACK) != null;
    Encoder<ILoggingEvent> encoder =
        format == Format.JSON ? new JsonLine(stacks) : console.getEncoder();
    LogQueue lines = new LogQueue(new FileOutputStream(FileDescriptor.err), encoder, QUEUE);
    lines.setContext(context());
    lines.setName(APPENDER);
    lines.start();
    Logger root = context().getLogger(Logger.ROOT_LOGGER_NAME);
    root.detachAppender(console);
    root.addAppender(lines);
    queue = Optional.of(lines);
  }

  /**
   * Logs an access, if the level of its logger allows that.
   *
   * @param level level of the event
   * @param when time of the event; slf4j would take the time of each line
   * @param message kind of the event
   * @param values values by name
   */
  public static void access(
      org.slf4j.event.Level level, Instant when, String message, List<KeyValuePair> values) {
    Logger target = context().getLogger(ACCESS);
    if (!target.isEnabledForLevel(level)) {
      return;
    }
    LoggingEvent event =
        new LoggingEvent(null, target, Level.convertAnSLF4JLevel(level), message, null, null);
    event.setInstant(when);
    event.setKeyValuePairs(values);
    target.callAppenders(event);
  }

  /** Number of lines that the destination did not take, and that are lost. */
  public static long lost() {
    return queue.map(LogQueue::lost).orElse(0L);
  }

  /** Waits for the destination to take the last lines, for a limited time. */
  public static void flush() {
    queue.ifPresent(lines -> lines.flush(LAST_LINES));
  }

  /** Logs all messages of the project, with whole stack traces. */
  public static void debug() {
    LoggerContext context = context();
    context.reset();
    context.putProperty(STACK, "%ex{full}");
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

  private static LoggerContext context() {
    return (LoggerContext) LoggerFactory.getILoggerFactory();
  }

  /** Raises the level and never lowers it, so that {@code --debug} wins at any position. */
  private static void raise(String name, Level level) {
    Logger logger = context().getLogger(name);
    if (!logger.getEffectiveLevel().isGreaterOrEqual(level)) {
      return;
    }
    logger.setLevel(level);
  }
}
