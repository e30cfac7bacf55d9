// SPDX-License-Identifier: Apache-2.0
package org.jgits3.gerrit.e2e.tools;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/**
 * Processor time of the threads of a Gerrit since its start, as Linux counts it. Linux has 15
 * characters of their names.
 *
 * @param threads milliseconds of each thread that lives, by its number and name
 * @param process milliseconds of the process, with the threads that have ended
 * @param moment reading of {@link System#nanoTime}
 */
public record ThreadTimes(Map<String, Long> threads, long process, long moment) {
  /** Milliseconds of a tick, of which Linux has 100 a second on all machines of today. */
  private static final int TICK = 10;

  /** Work that threads do. */
  public enum Work {
    /** Listing the bucket, reading manifests, deciding; events; saving the position. */
    FOLLOWING,
    /** Bringing indexes and caches up to date. */
    INDEXING,
    /** The virtual machine itself: compiling, collecting garbage. */
    JVM,
    /** Everything else, such as the requests of the measurement. */
    OTHER
  }

  public static ThreadTimes of(long pid) throws IOException {
    Path process = Path.of("/proc/" + pid);
    Map<String, Long> threads = new HashMap<>();
    try (DirectoryStream<Path> all = Files.newDirectoryStream(process.resolve("task"))) {
      for (Path thread : all) {
        try {
          String name = Files.readString(thread.resolve("comm")).trim();
          threads.put(thread.getFileName() + " " + name, millis(thread.resolve("stat")));
        } catch (NoSuchFileException e) {
          // it has just ended
        }
      }
    }
    return new ThreadTimes(threads, millis(process.resolve("stat")), System.nanoTime());
  }

  /** Time in user mode and in the kernel, the fields 14 and 15. */
  private static long millis(Path stat) throws IOException {
    String line = Files.readString(stat);
    String[] fields = line.substring(line.lastIndexOf(')') + 2).split(" ");
    return (Long.parseLong(fields[11]) + Long.parseLong(fields[12])) * TICK;
  }

  private static Work work(String name) {
    if (name.equals("s3-follower")
        || name.equals("s3-follower-eve") // that post events
        || name.startsWith("jgit-s3-read")) {
      return Work.FOLLOWING;
    }
    if (name.startsWith("s3-follower-")
        || name.startsWith("Lucene")
        || name.startsWith("changes_")
        || name.startsWith("projects ")) {
      return Work.INDEXING;
    }
    boolean jvm =
        name.startsWith("C1 ")
            || name.startsWith("C2 ")
            || name.startsWith("VM ")
            || name.startsWith("GC ")
            || name.startsWith("G1 ");
    return jvm ? Work.JVM : Work.OTHER;
  }

  /** Percent of a core that each kind of work has taken since an earlier moment. */
  public Map<Work, Double> since(ThreadTimes before) {
    Map<Work, Double> shares = new TreeMap<>();
    double millis = (moment - before.moment) / 1e6;
    long counted = 0;
    for (Work work : Work.values()) {
      shares.put(work, 0.0);
    }
    for (var thread : threads.entrySet()) {
      long time = thread.getValue() - before.threads.getOrDefault(thread.getKey(), 0L);
      counted += time;
      String name = thread.getKey().substring(thread.getKey().indexOf(' ') + 1);
      shares.merge(work(name), 100 * time / millis, Double::sum);
    }
    shares.merge(Work.OTHER, 100 * (process - before.process - counted) / millis, Double::sum);
    return shares;
  }

  /**
   * Milliseconds since an earlier moment by name of thread, without its digits, of those above a
   * least time.
   */
  public Map<String, Long> names(ThreadTimes before, long least) {
    Map<String, Long> names = new TreeMap<>();
    threads.forEach(
        (key, time) ->
            names.merge(
                key.substring(key.indexOf(' ') + 1),
                time - before.threads.getOrDefault(key, 0L),
                Long::sum));
    names.values().removeIf(time -> time < least);
    return names;
  }
}
