// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.served;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/**
 * Processor time of a process so far, as Linux counts it, in hundredths of a second.
 *
 * @param own that of the process, in nanoseconds
 * @param ofEnded that of all programs that it has started and that have ended, with theirs
 */
record ProcessorTime(long own, long ofEnded) {
  private static final long TICK = TimeUnit.MILLISECONDS.toNanos(10);

  /** Fields of {@code /proc/PID/stat} after the name of the program. */
  private static final int USER = 11;

  /**
   * Reads it.
   *
   * @param process {@code self}, or the id of a process
   * @throws IOException if the process has ended, or the system is not Linux
   */
  static ProcessorTime of(String process) throws IOException {
    String stat = Files.readString(Path.of("/proc", process, "stat"));
    String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
    long[] ticks = new long[4];
    for (int i = 0; i < ticks.length; i++) {
      ticks[i] = Long.parseLong(fields[USER + i]);
    }
    return new ProcessorTime((ticks[0] + ticks[1]) * TICK, (ticks[2] + ticks[3]) * TICK);
  }
}
