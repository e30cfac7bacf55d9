// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.pack.limit;

import java.io.Closeable;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.eclipse.jgit.annotations.Nullable;
import org.eclipse.jgit.errors.TransportException;

/**
 * Limits of pushes and fetches. A pack of a few megabytes can describe objects of petabytes: deltas
 * that copy the object before, or a stream that inflates for ever.
 *
 * @param memory memory of all of them together
 * @param deltaDepth most deltas between an object and one that is no delta: every reader of the
 *     object applies them
 * @param processorTime maximum processor time of the thread of a push, from the beginning of the
 *     pack to the end of the push; elapsed time on a JVM that does not measure processor time
 */
public record TransferLimits(TransferMemory memory, int deltaDepth, Duration processorTime) {
  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

  /** Begins a push or a fetch that has taken nothing. */
  public Transfer begin() {
    return new Transfer();
  }

  /** Begins to receive a pack that no client sends, which has no limits. */
  public static Transfer unlimited() {
    return new TransferLimits(new TransferMemory(0), Integer.MAX_VALUE, Duration.ZERO).begin();
  }

  /**
   * Memory and work of one push or fetch. Other threads than that of a push may call its methods;
   * their time is not counted. Safe for use by many threads.
   */
  public final class Transfer implements Closeable {
    private final TransferMemory.Share share = memory.share();

    /** Work of the push; null before it. */
    @Nullable private volatile Work work;

    /** Memory for objects that are received, named or sent; held until this is closed. */
    public TransferMemory.Share memory() {
      return share;
    }

    /** Begins the work of a push with its first pack, in the thread that does it. */
    public void beginWork() {
      if (work == null) {
        work = new Work();
      }
    }

    /**
     * Checks the length of a chain of deltas.
     *
     * @throws TransportException if it is longer than allowed
     */
    public void checkDepth(int depth) throws TransportException {
      if (depth > deltaDepth) {
        throw new TransportException(
            "a pack with a chain of more than "
                + deltaDepth
                + " deltas, which is [s3 \"receive\"] deltaDepth of the server; push from a"
                + " repository packed by git repack -adf");
      }
    }

    /**
     * Checks the processor time so far.
     *
     * @throws TransportException if a push has taken more than is allowed
     */
    public void checkTime() throws TransportException {
      Work begun = work;
      if (begun != null && begun.millis() > processorTime.toMillis()) {
        throw new TransportException(
            "a push that takes more than "
                + processorTime.toMillis()
                + " ms of processor time, which is [s3 \"receive\"] processorTime of the server;"
                + " push fewer commits at a time");
      }
    }

    @Override
    public void close() {
      share.close();
    }
  }

  /** Tests whether the JVM measures processor time. */
  private static boolean isMeasured() {
    return THREADS.isCurrentThreadCpuTimeSupported() && THREADS.isThreadCpuTimeEnabled();
  }

  /** Work of one push, from its creation on. */
  private static final class Work {
    private final Thread thread = Thread.currentThread();
    private final boolean measured = isMeasured();
    private final long start = now();

    private long now() {
      return measured ? THREADS.getCurrentThreadCpuTime() : System.nanoTime();
    }

    /** Time of the thread so far; none for another thread. */
    long millis() {
      return thread == Thread.currentThread() ? TimeUnit.NANOSECONDS.toMillis(now() - start) : 0;
    }
  }
}
