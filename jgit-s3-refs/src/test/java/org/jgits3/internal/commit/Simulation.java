// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.commit;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.concurrent.Semaphore;
import java.util.function.LongSupplier;

/**
 * Threads in simulated time: one runs at a time, until it sleeps; then time jumps to the next that
 * wakes up. What happens depends on nothing but what they do.
 */
final class Simulation implements Ticker {
  private final Queue<Sleeper> sleepers =
      new PriorityQueue<>(
          Comparator.<Sleeper>comparingLong(s -> s.wakeAt).thenComparingLong(s -> s.number));
  private final List<Thread> threads = new ArrayList<>();
  private long now;
  private long numbers;

  private static final class Sleeper {
    final long wakeAt;
    final long number;

    /** Of its own, so that no other thread is woken up to look. */
    final Semaphore awake = new Semaphore(0);

    Sleeper(long wakeAt, long number) {
      this.wakeAt = wakeAt;
      this.number = number;
    }
  }

  /** Adds a thread that starts when the simulation does. */
  void add(Runnable work) {
    Sleeper start = asleep(0);
    threads.add(
        new Thread(
            () -> {
              await(start);
              try {
                work.run();
              } finally {
                wakeNext();
              }
            }));
  }

  /** Makes requests take time, half of it before they arrive and half after. */
  void delay(ScriptedStore store, LongSupplier put, LongSupplier get) {
    store.everyPut(
        request -> {
          long half = put.getAsLong() / 2;
          sleep(half);
          var outcome = request.apply();
          sleep(half);
          return outcome;
        });
    store.everyGet(
        request -> {
          long half = get.getAsLong() / 2;
          sleep(half);
          var answer = request.read();
          sleep(half);
          return answer;
        });
  }

  /** Runs all threads to their ends. */
  void run() throws InterruptedException {
    threads.forEach(Thread::start);
    wakeNext();
    for (Thread thread : threads) {
      thread.join();
    }
  }

  @Override
  public synchronized long nanoTime() {
    return now;
  }

  @Override
  public void sleep(long nanos) {
    Sleeper sleeper = asleep(nanos);
    wakeNext();
    await(sleeper);
  }

  private synchronized Sleeper asleep(long nanos) {
    Sleeper sleeper = new Sleeper(now + nanos, numbers++);
    sleepers.add(sleeper);
    return sleeper;
  }

  private synchronized void wakeNext() {
    if (!sleepers.isEmpty()) {
      Sleeper next = sleepers.remove();
      now = Math.max(now, next.wakeAt);
      next.awake.release();
    }
  }

  private static void await(Sleeper sleeper) {
    try {
      sleeper.awake.acquire();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
