// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalLong;

/** Most memory of a process that was resident until now, as Linux counts it. */
public final class PeakMemory {
  private static final String HIGH_WATER = "VmHWM:";

  private PeakMemory() {}

  /**
   * Reads it.
   *
   * @param process {@code self}, or the id of a process
   * @return bytes; empty if the process has ended, or the system is not Linux
   */
  public static OptionalLong of(String process) {
    try {
      return Files.readAllLines(Path.of("/proc", process, "status")).stream()
          .filter(line -> line.startsWith(HIGH_WATER))
          .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) << 10)
          .findFirst();
    } catch (IOException e) {
      return OptionalLong.empty();
    }
  }
}
