// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.pack.limit;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.eclipse.jgit.errors.TransportException;

/**
 * Limits of the work that one push may cause. A pack of a few megabytes can describe objects of
 * petabytes: deltas that copy the object before, or a stream that inflates for ever.
 *
 * @param deltaDepth most deltas between an object and one that is no delta: every reader of the
 *     object applies them
 * @param processorTime maximum processor time of its thread, from the beginning of the pack to the
 *     end of the push; elapsed time on a JVM that does not measure processor time
 */
public record PushLimits(int deltaDepth, Duration processorTime) {
  /** No limits, for packs that no client sends. */
  public static final PushLimits NONE = new PushLimits(Integer.MAX_VALUE, Duration.ofDays(10_000));

  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

  /** Tests whether the JVM measures processor time. */
  private static boolean isMeasured() {
    return THREADS.isCurrentThreadCpuTimeSupported() && THREADS.isThreadCpuTimeEnabled();
  }

  /** Begins to count the work of a push, in the thread that does it. */
  public Work begin() {
    return new Work();
  }

  /** Work of one push. Other threads may call its methods; their time is not counted. */
  public final class Work {
    private final Thread thread = Thread.currentThread();
    private final boolean measured = isMeasured();
    private final long end = millis() + processorTime.toMillis();

    private long millis() {
      return TimeUnit.NANOSECONDS.toMillis(
          measured ? THREADS.getCurrentThreadCpuTime() : System.nanoTime());
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
     * @throws TransportException if it is more than allowed
     */
    public void checkTime() throws TransportException {
      if (thread == Thread.currentThread() && millis() > end) {
        throw new TransportException(
            "a push that takes more than "
                + processorTime.toMillis()
                + " ms of processor time, which is [s3 \"receive\"] processorTime of the server;"
                + " push fewer commits at a time");
      }
    }
  }
}
