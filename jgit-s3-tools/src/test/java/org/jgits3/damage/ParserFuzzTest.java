// SPDX-License-Identifier: Apache-2.0
package org.jgits3.damage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.code_intelligence.jazzer.Jazzer;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jgits3.testing.RandomSeed;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Bytes in the store that nothing wrote, behind checksums that match. {@code -Dfuzz.minutes=N}
 * tries for so long; a failure prints its input.
 */
class ParserFuzzTest {
  private static final int RUNS = RandomSeed.count(1_000, 120_000);
  private static final Set<String> MACHINES = Set.of("amd64", "x86_64", "aarch64");

  private static final Pattern NEEDED =
      Pattern.compile("assertj|eclipse.jgit|jgit-s3-refs-|JavaEWAH|jackson|jazzer|logback|slf4j");

  /** Large enough that the log has an object for one batch. */
  private static final int BATCH = 2000;

  private static StoredSample sample;

  @BeforeAll
  static void write_sample() throws Exception {
    sample = new StoredSample(BATCH, BATCH);
  }

  @ParameterizedTest
  @EnumSource
  void what_was_written_is_read(FuzzedParser parser) throws Exception {
    for (byte[] seed : parser.seeds(sample)) {
      parser.read(seed);
    }
  }

  @Test
  void forged_bytes_are_read_or_refused_with_the_key_in_bounded_memory(@TempDir Path directory)
      throws Exception {
    assumeTrue(
        MACHINES.contains(System.getProperty("os.arch")),
        "the parsers are not fuzzed: Jazzer has no driver for this machine");
    Path log = directory.resolve("log");
    Path seeds = Files.createDirectory(directory.resolve("seeds"));
    FuzzTarget.writeSeeds(sample, seeds);
    Process jazzer =
        new ProcessBuilder(command(seeds))
            .directory(directory.toFile())
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    try {
      int code = jazzer.waitFor();
      assertThat(code).as(() -> said(log)).isZero();
      assertThat(log).content().contains("DONE");
    } finally {
      jazzer.destroyForcibly();
    }
  }

  private static List<String> command(Path seeds) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    Integer minutes = Integer.getInteger("fuzz.minutes");
    int compiler = minutes == null ? RandomSeed.count(1, 4) : 4;
    command.add("-XX:TieredStopAtLevel=" + compiler);
    Collections.addAll(command, "-Xmx512m", "-XX:+UseSerialGC", "-cp", classpath());
    command.add(Jazzer.class.getName());
    command.add("--target_class=" + FuzzTarget.class.getName());
    command.add("--instrumentation_includes=org.jgits3.**");
    command.add("--custom_hook_includes=org.jgits3.**");
    command.add(minutes == null ? "-runs=" + RUNS : "-max_total_time=" + 60 * minutes);
    command.add("-seed=" + RandomSeed.first());
    command.add("-timeout=300");
    command.add(seeds.toString());
    return command;
  }

  /** Jars that parsers and fuzzer need, and no others: the fuzzer looks into each of them. */
  private static String classpath() {
    return Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
        .filter(entry -> !entry.endsWith(".jar") || NEEDED.matcher(entry).find())
        .collect(Collectors.joining(File.pathSeparator));
  }

  private static String said(Path log) {
    try {
      return Files.readString(log);
    } catch (Exception e) {
      return e.toString();
    }
  }
}
