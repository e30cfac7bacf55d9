// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.http.limit;

import java.time.Duration;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jgits3.internal.concurrent.DaemonThreads;

/**
 * Does some work in threads of its own, so that no thread of the server waits for it. Bounds the
 * number of tasks that run, the number that wait, and the time they wait. Safe for use by many
 * threads.
 */
public final class BoundedWork {
  private static final Duration IDLE = Duration.ofMinutes(1);

  private final String refusal;
  private final Duration patience;
  private final ThreadPoolExecutor threads;

  /**
   * Creates a bound.
   *
   * @param refusal name of the exhausted resource, for the client
   * @param atOnce maximum number of tasks that run
   * @param waiting maximum number of tasks that wait, at least 1
   * @param patience maximum time to wait
   */
  public BoundedWork(String refusal, int atOnce, int waiting, Duration patience) {
    this.refusal = refusal;
    this.patience = patience;
    this.threads =
        new ThreadPoolExecutor(
            atOnce,
            atOnce,
            IDLE.toSeconds(),
            TimeUnit.SECONDS,
            new ArrayBlockingQueue<>(waiting),
            DaemonThreads.named("bounded-work"));
    threads.allowCoreThreadTimeOut(true);
  }

  /**
   * Does a task.
   *
   * @param task work to do
   * @param <T> type of its result
   * @return its result; fails with a {@link Refusal} if too many tasks wait, or it has waited for
   *     the maximum time
   */
  public <T> CompletableFuture<T> submit(Supplier<T> task) {
    CompletableFuture<T> result = new CompletableFuture<>();
    long submitted = System.nanoTime();
    try {
      threads.execute(() -> run(task, submitted, result));
    } catch (RejectedExecutionException e) {
      result.completeExceptionally(Refusal.busy(refusal));
    }
    return result;
  }

  private <T> void run(Supplier<T> task, long submitted, CompletableFuture<T> result) {
    if (System.nanoTime() - submitted > patience.toNanos()) {
      result.completeExceptionally(Refusal.busy(refusal));
      return;
    }
    try {
      result.complete(task.get());
    } catch (RuntimeException | Error e) {
      result.completeExceptionally(e);
    }
  }
}
