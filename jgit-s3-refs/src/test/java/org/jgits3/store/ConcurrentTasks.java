// SPDX-License-Identifier: Apache-2.0
package org.jgits3.store;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Tasks that start at the same moment, each on a thread of its own. */
public final class ConcurrentTasks {
  private static final long DEADLINE_SECONDS = 120;

  private ConcurrentTasks() {}

  /** Something that a thread does. */
  @FunctionalInterface
  public interface Task {
    /**
     * Does it.
     *
     * @throws Exception what {@link ConcurrentTasks#run} is to throw
     */
    void run() throws Exception;
  }

  /** Something that each of several threads does. */
  @FunctionalInterface
  public interface NumberedTask {
    /**
     * Does it.
     *
     * @param thread number of the thread, from 0
     * @throws Exception what {@link ConcurrentTasks#run} is to throw
     */
    void run(int thread) throws Exception;
  }

  /**
   * Waits in a place that must not be interrupted.
   *
   * @param latch what for
   */
  public static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  /** Something that holds for a while. */
  @FunctionalInterface
  public interface Condition {
    /**
     * Tests whether it holds.
     *
     * @return whether it does
     * @throws Exception what fails the test
     */
    boolean holds() throws Exception;
  }

  /**
   * Waits as long as something holds, which is two minutes at most.
   *
   * @param condition what is to end
   */
  public static void waitWhile(Condition condition) {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(DEADLINE_SECONDS);
    try {
      while (condition.holds()) {
        if (System.nanoTime() - deadline > 0) {
          throw new AssertionError("goes on after " + DEADLINE_SECONDS + " s");
        }
        LockSupport.parkNanos(TimeUnit.MICROSECONDS.toNanos(50));
      }
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  /**
   * Runs one task on several threads and waits for all of them.
   *
   * @param threads how many
   * @param task what each does
   * @throws Exception the first failure
   */
  public static void run(int threads, NumberedTask task) throws Exception {
    List<Task> tasks = new ArrayList<>();
    for (int i = 0; i < threads; i++) {
      int thread = i;
      tasks.add(() -> task.run(thread));
    }
    run(tasks);
  }

  /**
   * Calls something on several threads at the same time.
   *
   * @param <T> type of the results
   * @param threads how many
   * @param call what each calls
   * @return the results
   * @throws Exception the first failure
   */
  public static <T> List<T> results(int threads, Callable<T> call) throws Exception {
    List<T> results = Collections.synchronizedList(new ArrayList<>());
    run(threads, thread -> results.add(call.call()));
    return List.copyOf(results);
  }

  /**
   * Runs tasks, each on a thread of its own, and waits for all of them.
   *
   * @param tasks what to run
   * @throws Exception the first failure
   */
  public static void run(List<? extends Task> tasks) throws Exception {
    CountDownLatch start = new CountDownLatch(1);
    ExecutorService threads = Executors.newFixedThreadPool(tasks.size());
    try {
      List<Future<Void>> running = new ArrayList<>();
      for (Task task : tasks) {
        running.add(
            threads.submit(
                () -> {
                  start.await();
                  task.run();
                  return null;
                }));
      }
      start.countDown();
      for (Future<Void> each : running) {
        each.get(DEADLINE_SECONDS, TimeUnit.SECONDS);
      }
    } catch (ExecutionException e) {
      if (e.getCause() instanceof Error error) {
        throw error;
      }
      throw (Exception) e.getCause();
    } finally {
      threads.shutdownNow();
    }
  }
}
