// SPDX-License-Identifier: Apache-2.0
package org.jgits3.simulation;

import java.util.Arrays;
import java.util.Deque;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import org.eclipse.jgit.annotations.Nullable;

/** A thread of a simulated process. It runs on a real one that has nothing else to do meanwhile. */
final class Strand {
  private static final int FRAMES = 12;

  private final Scheduler scheduler;
  private final Scheduler.Jvm process;
  private final String name;
  private final Runnable work;
  private final Runnable end;
  private final Carrier carrier;
  private BooleanSupplier condition = Strand::ready;
  private long wakeAt = Long.MAX_VALUE;
  private boolean interrupted;
  private boolean ended;

  /** A real thread, which carries one strand after the other. */
  static final class Carrier extends Thread {
    private static final Deque<Carrier> IDLE = new ConcurrentLinkedDeque<>();

    @Nullable private volatile Strand strand;
    private volatile boolean turn;

    private Carrier() {
      super("simulation");
      setDaemon(true);
    }

    private static Carrier take(Strand strand) {
      Carrier carrier = IDLE.pollLast();
      if (carrier == null) {
        carrier = new Carrier();
        carrier.start();
      }
      carrier.strand = strand;
      return carrier;
    }

    private void awaitTurn() {
      while (!turn) {
        LockSupport.park(this);
      }
      turn = false;
    }

    @Override
    public void run() {
      while (true) {
        awaitTurn();
        Strand mine = strand;
        mine.run();
        strand = null;
        IDLE.add(this);
        mine.scheduler.ended(mine);
      }
    }
  }

  Strand(Scheduler scheduler, Scheduler.Jvm process, String name, Runnable work, Runnable end) {
    this.scheduler = scheduler;
    this.process = process;
    this.name = name;
    this.work = work;
    this.end = end;
    this.carrier = Carrier.take(this);
  }

  private static boolean ready() {
    return true;
  }

  /** The strand that runs; null outside of a simulation. */
  @Nullable
  static Strand current() {
    return of(Thread.currentThread());
  }

  /** The strand of a thread. */
  @Nullable
  static Strand of(Thread thread) {
    return thread instanceof Carrier carrier ? carrier.strand : null;
  }

  private void run() {
    try {
      checkAlive();
      work.run();
    } catch (Throwable e) {
      if (!process.dead()) {
        scheduler.fail(e);
      }
    } finally {
      ended = true;
      if (!scheduler.isOver()) {
        end.run();
      }
    }
  }

  void resume() {
    carrier.turn = true;
    LockSupport.unpark(carrier);
  }

  void awaitTurn() {
    carrier.awaitTurn();
  }

  /** Tells where the strand is. */
  String where() {
    StackTraceElement[] frames = carrier.getStackTrace();
    return Arrays.stream(frames)
        .limit(FRAMES)
        .map(frame -> "\n\tat " + frame)
        .collect(Collectors.joining("", name + ", " + carrier.getState(), ""));
  }

  Scheduler scheduler() {
    return scheduler;
  }

  Scheduler.Jvm process() {
    return process;
  }

  boolean ended() {
    return ended;
  }

  long wakeAt() {
    return wakeAt;
  }

  void waitFor(BooleanSupplier awaited, long until) {
    condition = awaited;
    wakeAt = until;
  }

  void goOn() {
    waitFor(Strand::ready, Long.MAX_VALUE);
  }

  boolean isAble(long now) {
    return process.dead()
        || scheduler.isOver()
        || (wakeAt != Long.MAX_VALUE && wakeAt <= now)
        || condition.getAsBoolean();
  }

  /** Stops the strand if its process is dead or the run over. */
  void checkAlive() {
    if (process.dead() || scheduler.isOver()) {
      throw new Scheduler.Stopped();
    }
  }

  void interrupt() {
    interrupted = true;
  }

  boolean isInterrupted() {
    return interrupted;
  }

  boolean clearInterrupt() {
    boolean was = interrupted;
    interrupted = false;
    return was;
  }

  void checkInterrupt() throws InterruptedException {
    if (clearInterrupt()) {
      throw new InterruptedException("simulated");
    }
  }

  @Override
  public String toString() {
    return name;
  }
}
