// SPDX-License-Identifier: Apache-2.0
package org.jgits3.simulation;

import java.security.SecureRandom;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.List;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.eclipse.jgit.util.SystemReader;

/**
 * Stands in for the JDK where simulated code asks for time, chance, threads or locks. {@link
 * SimulatedCode} directs each call to the method of the same name here, with the object it was
 * called on as the first argument.
 */
@SuppressWarnings("unused") // called by rewritten code
public final class Calls {
  private static final long EPOCH_MILLIS = 1_700_000_000_000L;

  private Calls() {}

  private static Scheduler scheduler() {
    Strand strand = Strand.current();
    return strand == null ? null : strand.scheduler();
  }

  private static SplittableRandom code() {
    Scheduler scheduler = scheduler();
    return scheduler == null ? new SplittableRandom(0) : scheduler.code();
  }

  // Time

  public static long nanoTime() {
    Scheduler scheduler = scheduler();
    return scheduler == null ? 0 : scheduler.nanoTime();
  }

  public static long currentTimeMillis() {
    Strand strand = Strand.current();
    return strand == null
        ? EPOCH_MILLIS
        : EPOCH_MILLIS + nanoTime() / 1_000_000 + strand.process().skewMillis();
  }

  public static Instant now() {
    return Instant.ofEpochMilli(currentTimeMillis());
  }

  public static Instant now(SystemReader jgit) {
    return now();
  }

  public static void sleep(TimeUnit unit, long time) throws InterruptedException {
    Strand me = Strand.current();
    me.checkInterrupt();
    Scheduler scheduler = me.scheduler();
    scheduler.block(me::isInterrupted, scheduler.nanoTime() + Math.max(0, unit.toNanos(time)));
    me.checkInterrupt();
  }

  public static void parkNanos(long nanos) {
    scheduler().sleep(nanos);
  }

  // Chance

  public static void nextBytes(SecureRandom random, byte[] bytes) {
    code().nextBytes(bytes);
  }

  public static UUID randomUUID() {
    return new UUID(code().nextLong(), code().nextLong());
  }

  /** Seed of a random number generator that simulated code makes without one. */
  public static long seed() {
    return code().nextLong();
  }

  /** Number of an object, as its hash code. */
  public static int number() {
    Scheduler scheduler = scheduler();
    return scheduler == null ? 1 : scheduler.number();
  }

  // Garbage

  /**
   * Keeps the referent of a weak reference to the end of the run, whenever garbage is collected.
   */
  public static Object referent(Object o) {
    Scheduler scheduler = scheduler();
    if (scheduler != null) {
      scheduler.keep(o);
    }
    return o;
  }

  // Locks

  public static void enter(Object o) {
    Scheduler scheduler = scheduler();
    if (scheduler != null) {
      scheduler.enter(o);
    }
  }

  public static void exit(Object o) {
    Scheduler scheduler = scheduler();
    if (scheduler != null) {
      scheduler.exit(o);
    }
  }

  public static void wait(Object o) throws InterruptedException {
    scheduler().waitOn(o, 0);
  }

  public static void timedWait(TimeUnit unit, Object o, long time) throws InterruptedException {
    if (time > 0) {
      scheduler().waitOn(o, unit.toNanos(time));
    }
  }

  public static void notifyAll(Object o) {
    Scheduler scheduler = scheduler();
    if (scheduler != null) {
      scheduler.notifyAll(o);
    }
  }

  public static void lock(ReentrantLock lock) {
    Scheduler scheduler = scheduler();
    if (scheduler != null && !lock.isHeldByCurrentThread()) {
      while (lock.isLocked()) {
        scheduler.await(() -> !lock.isLocked());
      }
    }
    lock.lock();
  }

  public static void await(CountDownLatch latch) throws InterruptedException {
    await(latch, Long.MAX_VALUE, TimeUnit.NANOSECONDS);
  }

  public static boolean await(CountDownLatch latch, long time, TimeUnit unit)
      throws InterruptedException {
    Strand me = Strand.current();
    me.checkInterrupt();
    long until = me.scheduler().nanoTime() + unit.toNanos(time);
    me.scheduler()
        .block(
            () -> latch.getCount() == 0 || me.isInterrupted(), until < 0 ? Long.MAX_VALUE : until);
    me.checkInterrupt();
    return latch.getCount() == 0;
  }

  public static <T> T join(CompletableFuture<T> future) {
    awaitDone(future);
    return future.join();
  }

  public static <T> T get(Future<T> future) throws InterruptedException, ExecutionException {
    awaitDone(future);
    return future.get();
  }

  private static void awaitDone(Future<?> future) {
    Scheduler scheduler = scheduler();
    if (scheduler != null && !future.isDone()) {
      scheduler.await(future::isDone);
    }
  }

  public static <T> List<Future<T>> invokeAll(
      ExecutorService threads, Collection<? extends Callable<T>> tasks) {
    List<Future<T>> all = tasks.stream().map(task -> threads.submit(task)).toList();
    all.forEach(Calls::awaitDone);
    return all;
  }

  // Threads

  public static void start(Thread thread) {
    scheduler().start(thread);
  }

  public static void join(Thread thread, long millis) throws InterruptedException {
    Strand me = Strand.current();
    me.checkInterrupt();
    Scheduler scheduler = me.scheduler();
    Strand joined = scheduler.started(thread);
    if (joined != null) {
      scheduler.block(
          () -> joined.ended() || me.isInterrupted(),
          scheduler.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis));
    }
    me.checkInterrupt();
  }

  public static void interrupt(Thread thread) {
    Scheduler scheduler = scheduler();
    Strand started = scheduler == null ? null : scheduler.started(thread);
    Strand strand = started != null ? started : Strand.of(thread);
    if (strand != null) {
      strand.interrupt();
    }
  }

  public static boolean interrupted() {
    Strand strand = Strand.current();
    return strand != null && strand.clearInterrupt();
  }

  public static boolean isInterrupted(Thread thread) {
    Strand strand = Strand.of(thread);
    return strand != null && strand.isInterrupted();
  }

  public static void addShutdownHook(Runtime runtime, Thread hook) {}

  public static boolean removeShutdownHook(Runtime runtime, Thread hook) {
    return true;
  }

  public static ThreadPoolExecutor pool(String name, int count) {
    return new Pool(name, count);
  }

  public static ExecutorService newFixedThreadPool(int count) {
    return new Pool("pool", count);
  }

  /** A pool whose tasks are strands of the process that hands them over. */
  private static final class Pool extends ThreadPoolExecutor {
    private final String name;
    private final int count;
    private final Queue<Runnable> waiting = new ArrayDeque<>();
    private Scheduler of;
    private int running;
    private boolean ended;

    Pool(String name, int count) {
      super(0, 1, 0, TimeUnit.SECONDS, new LinkedBlockingQueue<>());
      this.name = name;
      this.count = count;
    }

    @Override
    public void execute(Runnable task) {
      Scheduler scheduler = scheduler();
      if (ended || scheduler == null) {
        throw new RejectedExecutionException(name);
      }
      if (of != scheduler) { // a pool of all, in which a run before this one ended early
        of = scheduler;
        running = 0;
        waiting.clear();
      }
      waiting.add(task);
      runNext();
    }

    private void runNext() {
      if (running < count && !waiting.isEmpty()) {
        Runnable task = waiting.remove();
        running++;
        of.spawn(
            name,
            () -> {
              try {
                task.run();
              } finally {
                running--;
                runNext();
              }
            });
      }
    }

    @Override
    public void shutdown() {
      ended = true;
    }

    @Override
    public List<Runnable> shutdownNow() {
      ended = true;
      List<Runnable> left = List.copyOf(waiting);
      waiting.clear();
      return left;
    }

    @Override
    public boolean isShutdown() {
      return ended;
    }

    @Override
    public boolean awaitTermination(long time, TimeUnit unit) {
      Scheduler scheduler = scheduler();
      if (scheduler != null) {
        scheduler.block(() -> running == 0, scheduler.nanoTime() + unit.toNanos(time));
      }
      return running == 0;
    }
  }
}
