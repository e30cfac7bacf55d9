// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.terminal;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.LoggingEvent;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.Test;

class LogQueueTest {
  private static final Duration DEADLINE = Duration.ofMinutes(1);

  /** Bytes that wait, at most. */
  private static final int LIMIT = 1 << 14;

  private final LoggerContext context = new LoggerContext();
  private final Destination destination = new Destination();
  private final LogQueue queue = queue(destination);

  private LogQueue queue(OutputStream out) {
    LogQueue made = new LogQueue(out, new JsonLine(false), LIMIT);
    made.setContext(context);
    made.start();
    return made;
  }

  /** Destination that takes as many lines as it is told to, and fails when it is told to. */
  private static final class Destination extends OutputStream {
    private final ByteArrayOutputStream written = new ByteArrayOutputStream();
    private final Semaphore lines = new Semaphore(0);
    private boolean full;

    @Override
    public void write(int b) {
      throw new AssertionError("a line is written at once");
    }

    @Override
    public void write(byte[] src, int offset, int length) throws IOException {
      lines.acquireUninterruptibly();
      synchronized (this) {
        written.write(src, offset, full ? length / 2 : length);
        if (full) {
          throw new IOException("No space left on device");
        }
      }
    }

    synchronized void fill(boolean yes) {
      full = yes;
    }

    synchronized List<String> lines() {
      return written.toString(UTF_8).lines().toList();
    }
  }

  /** Logs an event that is too old to wait for room. */
  private void log(Level level, String message) {
    log(level, message, Instant.now().minusSeconds(60));
  }

  private void log(Level level, String message, Instant instant) {
    LoggingEvent event =
        new LoggingEvent(null, context.getLogger("test"), level, message, null, null);
    event.setInstant(instant);
    queue.doAppend(event);
  }

  private void logUntilLost(Level level, String message) {
    for (long before = queue.lost(); queue.lost() == before; ) {
      log(level, message);
    }
  }

  @Test
  void flood_of_requests_displaces_no_line_of_an_audit() {
    logUntilLost(Level.DEBUG, "request");
    log(Level.INFO, "push");
    assertThat(queue.lost()).isEqualTo(1);
    destination.lines.release(LIMIT);
    queue.flush(DEADLINE);
    assertThat(destination.lines()).anyMatch(line -> line.contains("\"message\":\"push\""));
  }

  @Test
  void lines_that_find_no_room_are_told_when_there_is_some_again() {
    logUntilLost(Level.INFO, "push");
    log(Level.INFO, "push");
    log(Level.INFO, "push");
    assertThat(queue.lost()).isEqualTo(3);
    destination.lines.release(LIMIT);
    queue.flush(DEADLINE);
    log(Level.INFO, "last");
    queue.flush(DEADLINE);
    assertThat(destination.lines())
        .filteredOn(line -> line.contains("lines of the log were lost"))
        .singleElement()
        .asString()
        .contains("\"lines\":3", "\"level\":\"WARN\"");
    assertThat(queue.lost()).isEqualTo(3);
  }

  @Test
  void line_of_an_interrupted_thread_is_written() {
    destination.lines.release(LIMIT);
    Thread.currentThread().interrupt();
    log(Level.INFO, "push");
    assertThat(Thread.interrupted()).isTrue();
    queue.flush(DEADLINE);
    assertThat(queue.lost()).isZero();
    assertThat(destination.lines()).anyMatch(line -> line.contains("push"));
  }

  @Test
  void old_lines_without_room_keep_no_fresh_line_from_waiting() throws Exception {
    logUntilLost(Level.INFO, "old");
    Thread bystander = new Thread(() -> log(Level.INFO, "fresh", Instant.now().plusSeconds(60)));
    bystander.start();
    Thread.State state = bystander.getState();
    while (state != Thread.State.TIMED_WAITING && state != Thread.State.TERMINATED) {
      state = bystander.getState();
    }
    assertThat(state).isEqualTo(Thread.State.TIMED_WAITING);
    destination.lines.release(LIMIT);
    bystander.join();
  }

  @Test
  void line_after_a_failed_write_begins_anew() {
    destination.lines.release(LIMIT);
    destination.fill(true);
    log(Level.INFO, "torn");
    queue.flush(DEADLINE);
    assertThat(queue.lost()).isEqualTo(1);
    destination.fill(false);
    log(Level.INFO, "whole");
    queue.flush(DEADLINE);
    List<String> lines = destination.lines();
    assertThat(lines).hasSize(3);
    assertThat(lines.get(0)).doesNotContain("torn");
    assertThat(lines.get(1)).startsWith("{\"time\":").contains("\"lines\":1").endsWith("}");
    assertThat(lines.get(2)).startsWith("{\"time\":").contains("whole").endsWith("}");
  }
}
