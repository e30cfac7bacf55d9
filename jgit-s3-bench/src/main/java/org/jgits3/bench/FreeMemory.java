// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench;

import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.jgits3.bench.process.Leftovers;

/**
 * Memory that nothing uses, files in the page cache included. A virtual machine may give it back to
 * its host (free page reporting, a balloon), and the next program that uses it waits for each page:
 * the same 1 GiB of a file took 0.2 s when it was written again, and 1.4 to 1.8 s after a pause.
 * Otherwise order and pauses would decide which engine waits.
 */
public final class FreeMemory {
  private static final long MEGABYTE = 1 << 20;

  /** So much for a machine whose memory comes slowly, some seconds for each GiB. */
  private static final Duration LIMIT = Duration.ofMinutes(2);

  private FreeMemory() {}

  /**
   * Uses memory once, and leaves it free for what is measured next: by a JVM that touches all of
   * its heap before it ends. Without effect if such a one cannot run here.
   *
   * @param bytes how much; no more than half of what is free is used
   * @throws IOException if no JVM can be started
   * @throws InterruptedException if the thread was interrupted; the JVM is gone
   */
  public static void touch(long bytes) throws IOException, InterruptedException {
    Leftovers.run(
        new ProcessBuilder(command(megabytes(bytes, free())))
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .redirectError(ProcessBuilder.Redirect.DISCARD),
        LIMIT);
  }

  private static long free() {
    return ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class).getFreeMemorySize();
  }

  /** Computes the memory to touch, in MiB, at least as much as a JVM takes anyway. */
  static long megabytes(long bytes, long free) {
    return Math.max(8, Math.min(bytes, free / 2) / MEGABYTE);
  }

  /**
   * A JVM that touches so much memory; in pieces that are as large as those that are given back.
   */
  static List<String> command(long megabytes) {
    return List.of(
        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
        "-XX:+IgnoreUnrecognizedVMOptions",
        "-XX:+UseSerialGC",
        "-XX:+UseTransparentHugePages",
        "-XX:+AlwaysPreTouch",
        "-Xms" + megabytes + "m",
        "-Xmx" + megabytes + "m",
        "-version");
  }
}
