// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.torture;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.jgits3.S3RepositoryManager;
import org.jgits3.S3Settings;

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
   *     end at, names of the repositories
   */
  public static void main(String[] args) throws Exception {
    Path end = Path.of(args[5]);
    List<String> repositories = List.of(args).subList(6, args.length);
    SplittableRandom seeds = new SplittableRandom(Long.parseLong(args[3]));
    Clerk clerk = Clerk.of(Path.of(args[1]), args[2]);
    S3RepositoryManager manager = open(S3Settings.load(Path.of(args[0])), end);
    manager.maintainInBackground();
    System.out.println(READY);
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < Integer.parseInt(args[4]); i++) {
      SplittableRandom random = seeds.split();
      Thread thread =
          new Thread(
              () -> work(new RefWork(manager, clerk, random), clerk, random, end, repositories));
      thread.start();
      threads.add(thread);
    }
    for (Thread thread : threads) {
      thread.join();
    }
    Runtime.getRuntime().halt(0);
  }

  /** Opens the store, which may be away at first. */
  private static S3RepositoryManager open(S3Settings settings, Path end) throws IOException {
    while (true) {
      try {
        return S3RepositoryManager.open(settings);
      } catch (IOException e) {
        if (Files.exists(end)) {
          throw e;
        }
        System.out.println("not yet: " + e.getMessage());
      }
    }
  }

  private static void work(
      RefWork refs, Clerk clerk, SplittableRandom random, Path end, List<String> repositories) {
    try {
      while (Files.notExists(end)) {
        try {
          refs.step(repositories.get(random.nextInt(repositories.size())));
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
