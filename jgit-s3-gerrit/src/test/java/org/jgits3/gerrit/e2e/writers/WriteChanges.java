// SPDX-License-Identifier: Apache-2.0
package org.jgits3.gerrit.e2e.writers;

import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.eclipse.jgit.lib.Repository;
import org.jgits3.S3RepositoryManager;

/**
 * Changes projects of the store of a run at a rate, as another Gerrit would: every other write
 * creates a change, the others vote on one that was created a few seconds before.
 */
public final class WriteChanges {
  private static final int THREADS = 8;

  /** Seconds that a change is left alone before it is voted on. */
  private static final int LATER = 5;

  /** Step between the projects of two writes, which has no divisor with their number. */
  private static final long STEP = 1_000_003;

  private WriteChanges() {}

  /**
   * Takes the port of the store, the recorded project and its change, the number of projects,
   * writes per second, seconds, and the first free number. Prints for each write the time just
   * before it, its kind, and the number of the change.
   */
  public static void main(String[] args) throws Exception {
    int projects = Integer.parseInt(args[3]);
    int rate = Integer.parseInt(args[4]);
    int count = rate * Integer.parseInt(args[5]);
    int first = Integer.parseInt(args[6]);
    Queue<Replay.Written> created = new ConcurrentLinkedQueue<>();
    AtomicInteger waiting = new AtomicInteger();
    AtomicInteger next = new AtomicInteger();
    try (S3RepositoryManager manager = Bucket.open(Integer.parseInt(args[0]));
        Repository recorded = manager.openRepository(args[1])) {
      Replay replay = new Replay(recorded, Integer.parseInt(args[2]));
      long start = System.nanoTime();
      List<Callable<Void>> writers = new ArrayList<>();
      for (int t = 0; t < THREADS; t++) {
        writers.add(
            () -> {
              for (int i = next.getAndIncrement(); i < count; i = next.getAndIncrement()) {
                long due = start + i * TimeUnit.SECONDS.toNanos(1) / rate;
                TimeUnit.NANOSECONDS.sleep(due - System.nanoTime());
                boolean votes = i % 2 == 1 && waiting.get() > rate * LATER / 2;
                Replay.Written earlier = votes ? created.poll() : null;
                long time = System.currentTimeMillis();
                if (earlier != null) {
                  waiting.decrementAndGet();
                  replay.vote(manager, earlier);
                  said(time, "vote", earlier.number());
                } else {
                  String project = MakeProjects.name((int) (i * STEP % projects));
                  created.add(replay.createChange(manager, project, first + i));
                  waiting.incrementAndGet();
                  said(time, "new", first + i);
                }
              }
              return null;
            });
      }
      Together.all(writers);
    }
  }

  private static void said(long time, String kind, int number) {
    System.out.println(time + " " + kind + " " + number);
  }
}
