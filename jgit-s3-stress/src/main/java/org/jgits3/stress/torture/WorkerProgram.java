// SPDX-License-Identifier: Apache-2.0
package org.jgits3.stress.torture;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.jgits3.S3RepositoryManager;
import org.jgits3.S3Settings;
import org.jgits3.Stores;
import org.jgits3.store.ObjectStore;

/**
 * Threads that use shared repositories, until a file appears, in a JVM of their own that may be
 * killed at any time. Prints {@link #READY} when they begin.
 */
final class WorkerProgram {
  static final String READY = "ready";

  private WorkerProgram() {}

  /**
   * Works.
   *
   * @param args config file, directory of histories, name of this process, seed, threads, file to
   *     end at, source of imports, names of repositories that come and go, and of those that stay,
   *     file for the port of its server, how far its clock is ahead
   */
  public static void main(String[] args) throws Exception {
    ShiftedClock.set(Duration.parse(args[10]));
    Path end = Path.of(args[5]);
    List<String> passing = List.of(args[7].split(",", -1));
    List<String> staying = List.of(args[8].split(",", -1));
    List<String> all = Stream.concat(passing.stream(), staying.stream()).toList();
    SplittableRandom seeds = new SplittableRandom(Long.parseLong(args[3]));
    Clerk clerk = Clerk.of(Path.of(args[1]), args[2]);
    S3RepositoryManager manager = open(S3Settings.load(Path.of(args[0])), end);
    manager.maintainInBackground();
    RefWork hooks = new RefWork(manager, clerk, seeds.split());
    new HookedServer(manager, hooks, seeds.split()).start(Path.of(args[9]));
    System.out.println(READY);
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < Integer.parseInt(args[4]); i++) {
      SplittableRandom random = seeds.split();
      RefWork refs = new RefWork(manager, clerk, random);
      // Two of three operations are on what stays.
      threads.add(
          start(clerk, end, () -> refs.step(pick(random, random.nextInt(3) == 0 ? all : staying))));
    }
    SplittableRandom random = seeds.split();
    Names names = new Names(manager, clerk, random, passing, args[6]);
    threads.add(start(clerk, end, names::step));
    SplittableRandom upkeeping = seeds.split();
    String spare = "spare" + args[2].split("\\.", 2)[0]; // the same in each life of the process
    Upkeep upkeep = new Upkeep(manager, clerk, upkeeping, spare);
    threads.add(start(clerk, end, () -> upkeep.step(pick(upkeeping, all))));
    SplittableRandom collecting = seeds.split();
    Upkeep collections = new Upkeep(manager, clerk, collecting, spare);
    start(clerk, end, () -> collections.collect(pick(collecting, all))); // ends with the process
    for (Thread thread : threads) {
      thread.join();
    }
    Runtime.getRuntime().halt(0);
  }

  private static String pick(SplittableRandom random, List<String> names) {
    return names.get(random.nextInt(names.size()));
  }

  /** Opens the store, which may be away at first. */
  private static S3RepositoryManager open(S3Settings settings, Path end) throws IOException {
    while (true) {
      try {
        ObjectStore store = Stores.open(settings.location(), settings.options());
        return S3RepositoryManager.open(WatchedManifests.of(store), settings);
      } catch (IOException e) {
        if (Files.exists(end)) {
          throw e;
        }
        System.out.println("not yet: " + e.getMessage());
      }
    }
  }

  /** An operation that may fail. */
  private interface Operation {
    void run() throws IOException;
  }

  private static Thread start(Clerk clerk, Path end, Operation operation) {
    Thread thread = new Thread(() -> repeat(clerk, end, operation), "torture");
    thread.start();
    return thread;
  }

  private static void repeat(Clerk clerk, Path end, Operation operation) {
    try {
      while (Files.notExists(end)) {
        try {
          operation.run();
        } catch (IOException e) {
          clerk.did("failed", e.toString());
        }
      }
    } catch (IOException | RuntimeException | Error e) {
      // What no operation may throw, or no history can be written: the run must not pass.
      System.err.println("stopped: " + e);
      e.printStackTrace();
      Runtime.getRuntime().halt(2);
    }
  }
}
