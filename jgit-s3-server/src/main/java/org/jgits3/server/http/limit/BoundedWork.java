// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.http.limit;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Comparator;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jgits3.internal.concurrent.DaemonThreads;

/**
 * Does some work in threads of its own, so that no thread of the server waits for it. Bounds the
 * number of tasks that run, the number that wait, and the time they wait. Clients take turns: a
 * client with many tasks delays another by one task, and when too many tasks wait, the newest one
 * of the client that has most is refused. Safe for use by many threads.
 */
public final class BoundedWork {
  private static final Duration IDLE = Duration.ofMinutes(1);

  private final String refusal;
  private final int most;
  private final Duration patience;
  private final ThreadPoolExecutor threads;

  /** Tasks that wait by client, none without one, the next client first; guarded by this. */
  private final Map<String, Deque<Task<?>>> waiting = new LinkedHashMap<>();

  /** Number of tasks that wait; guarded by this. */
  private int count;

  /**
   * Creates a bound.
   *
   * @param refusal name of the exhausted resource, for the client
   * @param atOnce maximum number of tasks that run
   * @param waiting maximum number of tasks that wait or are about to run, at least 1
   * @param patience maximum time to wait
   */
  public BoundedWork(String refusal, int atOnce, int waiting, Duration patience) {
    this.refusal = refusal;
    this.most = waiting;
    this.patience = patience;
    this.threads =
        new ThreadPoolExecutor(
            atOnce,
            atOnce,
            IDLE.toSeconds(),
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            DaemonThreads.named("bounded-work"));
    threads.allowCoreThreadTimeOut(true);
  }

  /** One task, and its result to be. */
  private record Task<T>(Supplier<T> work, CompletableFuture<T> result, long submitted) {
    void run() {
      try {
        result.complete(work.get());
      } catch (RuntimeException | Error e) {
        result.completeExceptionally(e);
      }
    }
  }

  /**
   * Does a task.
   *
   * @param client client that the task is for
   * @param work work to do
   * @param <T> type of its result
   * @return its result; fails with a {@link Refusal} if too many tasks wait, or it has waited for
   *     the maximum time
   */
  public <T> CompletableFuture<T> submit(String client, Supplier<T> work) {
    Task<T> task = new Task<>(work, new CompletableFuture<>(), System.nanoTime());
    Optional<Task<?>> refused = await(client, task);
    if (refused.isPresent()) {
      refuse(refused.get());
    } else {
      threads.execute(this::runNext); // once for each task that waits, whichever that is then
    }
    return task.result();
  }

  /** Lets a task wait, and returns one that must not wait for it, if there are too many. */
  private synchronized Optional<Task<?>> await(String client, Task<?> task) {
    Deque<Task<?>> own = waiting.computeIfAbsent(client, c -> new ArrayDeque<>());
    own.addLast(task);
    count++;
    if (count <= most) {
      return Optional.empty();
    }
    Deque<Task<?>> longest =
        Collections.max(waiting.values(), Comparator.comparingInt(Deque::size));
    Task<?> newest = (longest.size() > own.size() ? longest : own).removeLast();
    count--;
    if (own.isEmpty()) {
      waiting.remove(client);
    }
    return Optional.of(newest);
  }

  private void runNext() {
    Task<?> task = next();
    if (System.nanoTime() - task.submitted() > patience.toNanos()) {
      refuse(task);
    } else {
      task.run();
    }
  }

  /** Takes the task of the client whose turn it is. */
  private synchronized Task<?> next() {
    String client = waiting.keySet().iterator().next();
    Deque<Task<?>> tasks = waiting.remove(client);
    Task<?> task = tasks.removeFirst();
    count--;
    if (!tasks.isEmpty()) {
      waiting.put(client, tasks); // after all others
    }
    return task;
  }

  private void refuse(Task<?> task) {
    task.result().completeExceptionally(Refusal.busy(refusal));
  }
}
