// SPDX-License-Identifier: Apache-2.0
package org.jgits3.stress.robust;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.eclipse.jgit.lib.ObjectId;
import org.jgits3.S3Repository;
import org.jgits3.S3RepositoryManager;
import org.jgits3.manifest.UnknownOutcomeException;

/**
 * Writers of one repository in a JVM of their own, each with a manager of its own, that begin when
 * a file appears. Prints {@link #READY}, and at the end one line with {@link #RESULT}, the number
 * of updates that were committed, not committed, and of unknown outcome, and the longest time one
 * took.
 */
final class WriterProgram {
  static final String READY = "ready";
  static final String RESULT = "result ";

  /** Longest wait for the file. */
  private static final Duration PATIENCE = Duration.ofMinutes(10);

  private WriterProgram() {}

  /** Counts of one writer. */
  record Counts(int committed, int refused, int unknown, double longest) {
    Counts plus(Counts o) {
      return new Counts(
          committed + o.committed,
          refused + o.refused,
          unknown + o.unknown,
          Math.max(longest, o.longest));
    }

    static Counts parse(String line) {
      String[] fields = line.substring(RESULT.length()).split(" ", -1);
      return new Counts(
          Integer.parseInt(fields[0]),
          Integer.parseInt(fields[1]),
          Integer.parseInt(fields[2]),
          Double.parseDouble(fields[3]));
    }

    @Override
    public String toString() {
      return String.format(
          Locale.ROOT, "%s%d %d %d %.3f", RESULT, committed, refused, unknown, longest);
    }
  }

  /**
   * Writes.
   *
   * @param args config file, repository, object, name of this program, writers, updates of each,
   *     file to wait for
   */
  public static void main(String[] args) throws Exception {
    Path go = Path.of(args[6]);
    List<Callable<Counts>> writers = new ArrayList<>();
    String config = Files.readString(Path.of(args[0]));
    for (int i = 0; i < Integer.parseInt(args[4]); i++) {
      S3RepositoryManager manager = Bench.manager(config);
      manager.openRepository(args[1]).close();
      String name = "refs/heads/" + args[3] + "-" + i + "-";
      ObjectId id = ObjectId.fromString(args[2]);
      int updates = Integer.parseInt(args[5]);
      writers.add(() -> write(manager, args[1], name, id, updates));
    }
    System.out.println(READY);
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    while (Files.notExists(go) && System.nanoTime() < deadline) {
      Thread.sleep(20);
    }
    Counts all = Bench.together(writers).stream().reduce(new Counts(0, 0, 0, 0), Counts::plus);
    System.out.println(all);
    Runtime.getRuntime().halt(0);
  }

  private static Counts write(
      S3RepositoryManager manager, String repository, String name, ObjectId id, int updates)
      throws IOException {
    Counts counts = new Counts(0, 0, 0, 0);
    try (S3Repository handle = manager.openRepository(repository)) {
      for (int i = 0; i < updates; i++) {
        long start = System.nanoTime();
        Counts one;
        try {
          Refs.point(handle, name + i, id);
          one = new Counts(1, 0, 0, Bench.seconds(System.nanoTime() - start));
        } catch (UnknownOutcomeException e) {
          one = new Counts(0, 0, 1, Bench.seconds(System.nanoTime() - start));
        } catch (IOException e) {
          System.out.println(e);
          one = new Counts(0, 1, 0, Bench.seconds(System.nanoTime() - start));
        }
        counts = counts.plus(one);
      }
    }
    return counts;
  }
}
