// SPDX-License-Identifier: Apache-2.0
package org.jgits3.simulation;

import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.eclipse.jgit.annotations.Nullable;

/**
 * Runs strands, the threads of simulated processes, one at a time, in virtual time. The strand that
 * runs hands over only in here, to one that is drawn, so that the seed decides all.
 *
 * <p>Used by the strand that runs; handing over publishes the state.
 */
public final class Scheduler {
  private static final int MOST_STEPS = 100_000;
  private static final int STEP_NANOS = 2_000_000;

  /** Real time between two checks that a run takes steps. */
  private static final int STILL_MINUTES = 5;

  private final SplittableRandom random;
  private final SplittableRandom code;
  private final int sticky;
  private final int preemption;
  private final List<Strand> strands = new ArrayList<>();
  private final IdentityHashMap<Object, Monitor> monitors = new IdentityHashMap<>();
  private final IdentityHashMap<Thread, Strand> started = new IdentityHashMap<>();
  private final List<Object> kept = new ArrayList<>();
  private final CountDownLatch over = new CountDownLatch(1);
  @Nullable private final List<String> trace;
  private long now = 1_000_000_000L;
  private int steps;
  private int names;
  private int objects;
  @Nullable private Throwable failure;

  /** Ends a strand whose process is dead, or whose run is over. */
  static final class Stopped extends Error {
    private static final long serialVersionUID = 1;

    Stopped() {
      super("stopped", null, false, false);
    }
  }

  /** A simulated process. Its strands stop where they are once it is dead. */
  public static final class Jvm {
    private final String name;
    private final long skewMillis;
    private boolean dead;

    /**
     * A process.
     *
     * @param name for traces
     * @param skewMillis by how much its clock is ahead
     */
    public Jvm(String name, long skewMillis) {
      this.name = name;
      this.skewMillis = skewMillis;
    }

    /** Tests whether it was killed. */
    public boolean dead() {
      return dead;
    }

    long skewMillis() {
      return skewMillis;
    }

    @Override
    public String toString() {
      return name;
    }
  }

  /** A lock of an object, as {@code synchronized} takes it. */
  private static final class Monitor {
    @Nullable Strand owner;
    int depth;
    final List<Waiter> waiters = new ArrayList<>();
  }

  private static final class Waiter {
    boolean notified;
  }

  /**
   * A schedule.
   *
   * @param seed what it follows from
   * @param trace receives what happens; null for none
   */
  Scheduler(long seed, @Nullable List<String> trace) {
    this.random = new SplittableRandom(seed);
    this.code = random.split();
    this.trace = trace;
    this.sticky = new int[] {0, 50, 85}[random.nextInt(3)];
    this.preemption = new int[] {0, 0, 12}[random.nextInt(3)];
  }

  /** Random numbers of what happens around the library. */
  public SplittableRandom random() {
    return random;
  }

  /** Random numbers that the library draws. */
  SplittableRandom code() {
    return code;
  }

  /** Virtual time in nanoseconds. */
  public long nanoTime() {
    return now;
  }

  /** Number of one more object, not zero. */
  int number() {
    return ++objects * 0x9E3779B1;
  }

  /** Steps taken so far. */
  public int steps() {
    return steps;
  }

  /** Notes what happens, if the run is traced. */
  public void trace(Supplier<String> what) {
    if (trace != null) {
      Strand me = Strand.current();
      trace.add(String.format("%9.3f s  %-14s %s", now / 1e9, me, what.get()));
    }
  }

  /** Runs work and all that it starts, to the end. */
  void run(Jvm process, Runnable main) throws Throwable {
    Strand first = new Strand(this, process, "main", main, () -> {});
    strands.add(first);
    first.resume();
    awaitEnd();
    if (failure != null) {
      throw failure;
    }
  }

  /**
   * Waits for the end of the run. Fails if a strand waits for a lock that is not simulated: then no
   * other one goes on.
   */
  private void awaitEnd() throws InterruptedException {
    int before;
    do {
      before = steps;
      if (over.await(STILL_MINUTES, TimeUnit.MINUTES)) {
        return;
      }
    } while (steps != before);
    String where = strands.stream().map(Strand::where).collect(Collectors.joining("\n"));
    AssertionError still =
        new AssertionError("no step in " + STILL_MINUTES + " minutes, of\n" + where);
    if (failure != null) {
      still.addSuppressed(failure);
    }
    throw still;
  }

  /**
   * Starts a strand.
   *
   * @param process it belongs to
   * @param name for traces
   * @param work its work
   * @param end runs after it, also if it was stopped; starts others, and does no step
   */
  public void spawn(Jvm process, String name, Runnable work, Runnable end) {
    strands.add(new Strand(this, process, name, work, end));
  }

  Strand spawn(String name, Runnable work) {
    Jvm process = Strand.current().process();
    Strand made = new Strand(this, process, process + "/" + name + names++, work, () -> {});
    strands.add(made);
    return made;
  }

  /** Starts a thread that simulated code has made, as a strand. */
  void start(Thread thread) {
    started.put(thread, spawn(thread.getName(), thread));
  }

  /** Strand of a thread that simulated code has made and started. */
  @Nullable
  Strand started(Thread thread) {
    return started.get(thread);
  }

  /** Keeps an object to the end of the run. */
  void keep(Object o) {
    kept.add(o);
  }

  /** Kills a process: nothing of it runs any more. */
  public void kill(Jvm process) {
    trace(() -> "kill " + process);
    process.dead = true;
  }

  /** Hands over to a strand that is drawn, perhaps the same. */
  public void step() {
    Strand me = Strand.current();
    now += random.nextInt(STEP_NANOS);
    if (++steps > MOST_STEPS) {
      fail(new AssertionError("does not end within " + MOST_STEPS + " steps"));
    }
    if (random.nextInt(100) >= sticky) {
      pass(me);
    }
    me.checkAlive();
  }

  /** Hands over until virtual time has passed. */
  public void sleep(long nanos) {
    block(() -> false, now + Math.max(0, nanos));
  }

  /** Hands over until a condition holds. */
  public void await(BooleanSupplier condition) {
    block(condition, Long.MAX_VALUE);
  }

  /** Hands over until a condition holds, or virtual time has come. */
  void block(BooleanSupplier condition, long wakeAt) {
    Strand me = Strand.current();
    me.checkAlive();
    me.waitFor(condition, wakeAt);
    pass(me);
    me.checkAlive();
  }

  boolean isOver() {
    return failure != null;
  }

  /** Ends the run with a failure. */
  public void fail(Throwable e) {
    if (failure == null && !(e instanceof Stopped)) {
      failure = e;
    }
  }

  private void pass(Strand me) {
    Strand next = draw();
    next.goOn();
    if (next != me) {
      next.resume();
      me.awaitTurn();
    }
  }

  void ended(Strand me) {
    strands.remove(me);
    if (strands.isEmpty()) {
      over.countDown();
      return;
    }
    Strand next = draw();
    next.goOn();
    next.resume();
  }

  private Strand draw() {
    List<Strand> able = new ArrayList<>(strands.size());
    for (Strand each : strands) {
      if (each.isAble(now)) {
        able.add(each);
      }
    }
    if (able.isEmpty()) {
      long wakeAt = strands.stream().mapToLong(Strand::wakeAt).min().orElseThrow();
      if (wakeAt == Long.MAX_VALUE) {
        fail(new AssertionError("deadlock of " + strands));
        return strands.get(0);
      }
      now = wakeAt;
      return draw();
    }
    return able.size() == 1 ? able.get(0) : able.get(random.nextInt(able.size()));
  }

  void enter(Object o) {
    if (preemption > 0 && random.nextInt(100) < preemption) {
      step();
    }
    acquire(o, 1);
  }

  private void acquire(Object o, int depth) {
    Strand me = Strand.current();
    while (true) {
      Monitor monitor = monitors.computeIfAbsent(o, any -> new Monitor());
      if (monitor.owner == null || monitor.owner == me) {
        monitor.owner = me;
        monitor.depth += depth;
        return;
      }
      await(() -> monitor.owner == null);
    }
  }

  void exit(Object o) {
    Monitor monitor = monitors.get(o);
    if (monitor != null && monitor.owner == Strand.current() && --monitor.depth == 0) {
      release(o, monitor);
    }
  }

  private void release(Object o, Monitor monitor) {
    monitor.owner = null;
    if (monitor.waiters.isEmpty()) {
      monitors.remove(o);
    }
  }

  void waitOn(Object o, long nanos) throws InterruptedException {
    Strand me = Strand.current();
    me.checkInterrupt();
    Monitor monitor = monitors.get(o);
    int depth = monitor.depth;
    Waiter mine = new Waiter();
    monitor.waiters.add(mine);
    monitor.depth = 0;
    monitor.owner = null;
    try {
      block(() -> mine.notified || me.isInterrupted(), nanos == 0 ? Long.MAX_VALUE : now + nanos);
    } finally {
      monitor.waiters.remove(mine);
    }
    if (monitor.owner == null && monitor.waiters.isEmpty()) {
      monitors.remove(o, monitor);
    }
    acquire(o, depth);
    me.checkInterrupt();
  }

  void notifyAll(Object o) {
    Monitor monitor = monitors.get(o);
    if (monitor != null) {
      monitor.waiters.forEach(each -> each.notified = true);
    }
  }
}
