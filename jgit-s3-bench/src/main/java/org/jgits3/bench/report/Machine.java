// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.report;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Locale;

/**
 * The machine of figures. Those of different machines cannot be compared.
 *
 * @param os operating system and its version
 * @param cpu model of the processor
 * @param cpus processors the JVM may use
 * @param memoryMb memory of the machine, in MiB
 * @param java version of the JVM
 * @param jgit version of JGit
 * @param started when the run began, in UTC, as ISO 8601 has it
 */
public record Machine(
    String os,
    String cpu,
    int cpus,
    @JsonProperty("memory_mb") long memoryMb,
    String java,
    String jgit,
    String started) {
  private static final Path CPU_INFO = Path.of("/proc/cpuinfo");

  /**
   * This machine, now.
   *
   * @return its description
   * @throws IOException if the system does not tell
   */
  public static Machine here() throws IOException {
    long memory =
        ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class).getTotalMemorySize();
    return new Machine(
        property("os.name") + " " + property("os.version") + " " + property("os.arch"),
        cpuModel(),
        Runtime.getRuntime().availableProcessors(),
        memory >> 20,
        property("java.vm.name") + " " + property("java.runtime.version"),
        jgitVersion(),
        Instant.now().truncatedTo(ChronoUnit.SECONDS).toString());
  }

  /**
   * Describes the machine.
   *
   * @return one line
   */
  public String description() {
    return String.format(Locale.ROOT, "%s; %d processors (%s), %,d MiB", os, cpus, cpu, memoryMb);
  }

  private static String property(String name) {
    return System.getProperty(name, "").strip();
  }

  private static String cpuModel() throws IOException {
    if (!Files.isReadable(CPU_INFO)) {
      return property("os.arch");
    }
    List<String> lines = Files.readAllLines(CPU_INFO);
    return lines.stream()
        .filter(line -> line.startsWith("model name"))
        .map(line -> line.substring(line.indexOf(':') + 1).strip())
        .findFirst()
        .orElse(property("os.arch")); // of ARM's the kernel knows numbers only
  }

  private static String jgitVersion() {
    String version = org.eclipse.jgit.lib.Repository.class.getPackage().getImplementationVersion();
    return version == null ? "unknown" : version;
  }
}
