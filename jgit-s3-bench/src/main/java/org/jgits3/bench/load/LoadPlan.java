// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.load;

import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jgits3.bench.Effort;
import org.jgits3.server.Main;

/**
 * Extent of a run.
 *
 * @param length how long clients work, besides what they have begun then
 * @param clients clients at the same time, at least 14
 * @param refs refs of the repository that is listed
 * @param files files of the repository that is cloned
 * @param largestPush bytes of the largest push
 * @param idleTimeout time after which the server drops a silent connection
 * @param options options of the JVM of the server, beside its heap
 * @param heap its heap, as after {@code -Xmx}
 * @param seed chooses what clients do
 * @param server S3 server to use; empty to start one
 * @param program the server, which takes the arguments of the command line of this project
 */
public record LoadPlan(
    Duration length,
    int clients,
    int refs,
    int files,
    int largestPush,
    Duration idleTimeout,
    List<String> options,
    String heap,
    long seed,
    Optional<URI> server,
    Class<?> program) {
  private static final int MB = 1_000_000;

  /** Keeps a copy of the options. */
  public LoadPlan {
    options = List.copyOf(options);
  }

  /**
   * A run of usual size, on a server that is started.
   *
   * @param effort size
   * @return the plan
   */
  public static LoadPlan of(Effort effort) {
    return switch (effort) {
      case SMALLEST ->
          of(Duration.ofSeconds(4), 14, 1_000, 20, MB, Duration.ofSeconds(10))
              .with(List.of("-XX:TieredStopAtLevel=1"));
      case QUICK -> of(Duration.ofMinutes(1), 48, 20_000, 300, 10 * MB, Duration.ofMinutes(1));
      case FULL -> of(Duration.ofMinutes(10), 96, 100_000, 1_000, 50 * MB, Duration.ofMinutes(5));
    };
  }

  private static LoadPlan of(
      Duration length, int clients, int refs, int files, int largestPush, Duration idleTimeout) {
    return new LoadPlan(
        length,
        clients,
        refs,
        files,
        largestPush,
        idleTimeout,
        List.of(),
        "256m",
        1,
        Optional.empty(),
        Main.class);
  }

  private LoadPlan with(List<String> jvmOptions) {
    return new LoadPlan(
        length,
        clients,
        refs,
        files,
        largestPush,
        idleTimeout,
        jvmOptions,
        heap,
        seed,
        server,
        program);
  }

  private LoadPlan with(Duration newLength, int newClients, Class<?> newProgram) {
    return new LoadPlan(
        newLength,
        newClients,
        refs,
        files,
        largestPush,
        idleTimeout,
        options,
        heap,
        seed,
        server,
        newProgram);
  }

  /**
   * The same with another server.
   *
   * @param newHeap its heap
   * @param newSeed seed of the run
   * @param newServer S3 server to use; empty to start one
   * @return the plan
   */
  public LoadPlan with(String newHeap, long newSeed, Optional<URI> newServer) {
    return new LoadPlan(
        length,
        clients,
        refs,
        files,
        largestPush,
        idleTimeout,
        options,
        newHeap,
        newSeed,
        newServer,
        program);
  }

  /**
   * The same for another time.
   *
   * @param newLength how long clients work
   * @return the plan
   */
  public LoadPlan withLength(Duration newLength) {
    return with(newLength, clients, program);
  }

  /**
   * The same with another number of clients.
   *
   * @param number their number
   * @return the plan
   */
  public LoadPlan withClients(int number) {
    return with(length, number, program);
  }

  /** The same with another program as the server. */
  LoadPlan withProgram(Class<?> main) {
    return with(length, clients, main);
  }

  /** Bytes of the heap. */
  long heapBytes() {
    long number = Long.parseLong(heap.substring(0, heap.length() - 1));
    return number << (heap.toLowerCase(Locale.ROOT).endsWith("g") ? 30 : 20);
  }

  /** Clients that read or write a few kB a second. */
  int slow() {
    return Math.max(2, clients / 16);
  }

  /** Clients that vanish without a word. */
  int silent() {
    return Math.max(1, clients / 48);
  }

  /**
   * One line about it.
   *
   * @return time, clients, sizes and heap
   */
  public String words() {
    return String.format(
        Locale.ROOT,
        "%d s, %d clients, %d refs, pushes of up to %d kB, -Xmx%s",
        length.toSeconds(),
        clients,
        refs,
        largestPush / 1000,
        heap);
  }
}
