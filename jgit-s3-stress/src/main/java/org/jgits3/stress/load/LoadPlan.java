// SPDX-License-Identifier: Apache-2.0
package org.jgits3.stress.load;

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
 * @param clients clients at the same time, at least 15
 * @param sizes sizes of repositories and pushes
 * @param server the server under load
 * @param seed chooses what clients do
 * @param store S3 server to use; empty to start one
 */
public record LoadPlan(
    Duration length, int clients, Sizes sizes, Server server, long seed, Optional<URI> store) {
  private static final int MB = 1_000_000;

  /**
   * Sizes of repositories and pushes.
   *
   * @param refs refs of the repository that is listed
   * @param files files of the repository that is cloned
   * @param largestPush bytes of the largest push
   */
  record Sizes(int refs, int files, int largestPush) {}

  /**
   * Server under load.
   *
   * @param idleTimeout time after which it drops a silent connection
   * @param program takes the arguments of the command line of this project
   * @param heap heap of its JVM, as after {@code -Xmx}
   * @param options further options of its JVM
   */
  record Server(Duration idleTimeout, Class<?> program, String heap, List<String> options) {
    Server {
      options = List.copyOf(options);
    }

    static Server of(Duration idleTimeout, String... options) {
      return new Server(idleTimeout, Main.class, "256m", List.of(options));
    }

    /** Bytes of the heap. */
    long heapBytes() {
      long number = Long.parseLong(heap.substring(0, heap.length() - 1));
      return number << (heap.toLowerCase(Locale.ROOT).endsWith("g") ? 30 : 20);
    }
  }

  private LoadPlan(Duration length, int clients, Sizes sizes, Server server) {
    this(length, clients, sizes, server, 1, Optional.empty());
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
          new LoadPlan(
              Duration.ofSeconds(4),
              15,
              new Sizes(1_000, 20, MB),
              Server.of(Duration.ofSeconds(10), "-XX:TieredStopAtLevel=1"));
      case QUICK ->
          new LoadPlan(
              Duration.ofMinutes(1),
              48,
              new Sizes(20_000, 300, 10 * MB),
              Server.of(Duration.ofMinutes(1)));
      case FULL ->
          new LoadPlan(
              Duration.ofMinutes(10),
              96,
              new Sizes(100_000, 1_000, 50 * MB),
              Server.of(Duration.ofMinutes(5)));
    };
  }

  /**
   * The same with another server.
   *
   * @param heap its heap
   * @param newSeed seed of the run
   * @param newStore S3 server to use; empty to start one
   * @return the plan
   */
  public LoadPlan with(String heap, long newSeed, Optional<URI> newStore) {
    Server other = new Server(server.idleTimeout, server.program, heap, server.options);
    return new LoadPlan(length, clients, sizes, other, newSeed, newStore);
  }

  /**
   * The same for another time.
   *
   * @param newLength how long clients work
   * @return the plan
   */
  public LoadPlan withLength(Duration newLength) {
    return new LoadPlan(newLength, clients, sizes, server, seed, store);
  }

  /**
   * The same with another number of clients.
   *
   * @param number their number
   * @return the plan
   */
  public LoadPlan withClients(int number) {
    return new LoadPlan(length, number, sizes, server, seed, store);
  }

  /** The same with another program as the server. */
  LoadPlan withProgram(Class<?> main) {
    Server other = new Server(server.idleTimeout, main, server.heap, server.options);
    return new LoadPlan(length, clients, sizes, other, seed, store);
  }

  /** Clients that read or write a few kB a second. */
  int slow() {
    return Math.max(2, clients / 16);
  }

  /** Clients that vanish in the middle of a push, and as many that do not read an answer. */
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
        sizes.refs,
        sizes.largestPush / 1000,
        server.heap);
  }
}
