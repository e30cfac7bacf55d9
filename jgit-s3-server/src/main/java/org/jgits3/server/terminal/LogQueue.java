// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.terminal;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.LoggingEvent;
import ch.qos.logback.core.UnsynchronizedAppenderBase;
import ch.qos.logback.core.encoder.Encoder;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jgits3.internal.concurrent.DaemonThreads;
import org.slf4j.event.KeyValuePair;

/**
 * Appender that writes in a thread of its own, so that a destination which is slow, full or stuck
 * stops no thread that logs. The lines that wait take a bounded number of bytes. Lines that find no
 * room are lost, and counted:
 *
 * <ul>
 *   <li>a line below the level INFO finds room in half of the queue only, so that a flood of such
 *       lines displaces no other;
 *   <li>any other line waits for room until it is five seconds old, unless one has waited in vain
 *       while the destination took nothing, until it takes a line.
 * </ul>
 *
 * <p>The number of lines lost is the first that the destination gets when it takes lines again.
 * Safe for use by many threads.
 */
final class LogQueue extends UnsynchronizedAppenderBase<ILoggingEvent> {
  private static final Duration PATIENCE = Duration.ofSeconds(5);

  private final OutputStream destination;
  private final Encoder<ILoggingEvent> encoder;
  private final int limit;

  /** Bytes that are free. */
  private final Semaphore room;

  private final BlockingQueue<byte[]> lines = new LinkedBlockingQueue<>();

  /** True after a line has waited while the destination took none, until it takes one. */
  private volatile boolean stuck;

  /** Lines that the destination was given so far. */
  private final AtomicLong given = new AtomicLong();

  private final AtomicLong lost = new AtomicLong();

  /**
   * Creates an appender.
   *
   * @param destination gets each line in one write
   * @param encoder encodes an event as a line
   * @param limit maximum bytes of the lines that wait or are being written
   */
  LogQueue(OutputStream destination, Encoder<ILoggingEvent> encoder, int limit) {
    this.destination = destination;
    this.encoder = encoder;
    this.limit = limit;
    this.room = new Semaphore(limit, true);
  }

  @Override
  public void start() {
    super.start();
    DaemonThreads.named("log").newThread(this::write).start();
  }

  @Override
  protected void append(ILoggingEvent event) {
    byte[] line = encoder.encode(event);
    boolean waits = event.getLevel().isGreaterOrEqual(Level.INFO);
    if (waits ? awaitRoom(line.length, event) : isRoomInHalf(line.length)) {
      lines.add(line);
    } else {
      lost.incrementAndGet();
    }
  }

  private boolean isRoomInHalf(int length) {
    return room.availablePermits() - length >= limit / 2 && room.tryAcquire(length);
  }

  private boolean awaitRoom(int length, ILoggingEvent event) {
    long age = Math.max(0, System.currentTimeMillis() - event.getTimeStamp());
    long left = stuck ? 0 : Math.max(0, PATIENCE.toMillis() - age);
    long before = given.get();
    // The line of a request that is interrupted, as at the end of a server, is written like others.
    boolean interrupted = Thread.interrupted();
    try {
      boolean found = room.tryAcquire(length, left, TimeUnit.MILLISECONDS);
      if (!found && left > 0 && given.get() == before) {
        stuck = true;
      }
      return found;
    } catch (InterruptedException e) {
      interrupted = true;
      return room.tryAcquire(length);
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** Writes lines for as long as the process lives. */
  private void write() {
    long told = 0;
    boolean torn = false;
    try {
      while (true) {
        byte[] line = lines.take();
        long known = lost.get();
        try {
          destination.write(bytes(line, known - told, torn));
          told = known;
          torn = false;
        } catch (IOException e) {
          lost.incrementAndGet();
          torn = true;
        }
        given.incrementAndGet();
        stuck = false;
        room.release(line.length);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // nothing interrupts it, so the process is ending
    }
  }

  private byte[] bytes(byte[] line, long untold, boolean torn) {
    if (untold == 0 && !torn) {
      return line;
    }
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    if (torn) {
      out.write('\n'); // what a failed write has left of a line is no beginning of another
    }
    if (untold > 0) {
      out.writeBytes(encoder.encode(loss(untold)));
    }
    out.writeBytes(line);
    return out.toByteArray();
  }

  private LoggingEvent loss(long count) {
    Logger logger = ((LoggerContext) getContext()).getLogger(LogQueue.class);
    String message = "lines of the log were lost, since its destination did not take them";
    LoggingEvent loss = new LoggingEvent(null, logger, Level.WARN, message, null, null);
    loss.addKeyValuePair(new KeyValuePair("lines", count));
    return loss;
  }

  /** Number of lines that were lost so far. */
  long lost() {
    return lost.get();
  }

  /** Waits until all lines are written, or some time has passed. */
  void flush(Duration most) {
    try {
      if (room.tryAcquire(limit, most.toMillis(), TimeUnit.MILLISECONDS)) {
        room.release(limit);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
