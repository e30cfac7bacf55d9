// SPDX-License-Identifier: Apache-2.0
package org.jgits3.store;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** Timers of the SDK that run when a test says that time has passed. Safe for many threads. */
public final class ManualTimers extends ScheduledThreadPoolExecutor {
  private static final long FAR_DAYS = 1000;

  private final List<Timer> timers = new ArrayList<>();
  private Duration now = Duration.ZERO;

  private record Timer(Duration due, Runnable task, ScheduledFuture<?> handle) {}

  public ManualTimers() {
    super(1);
  }

  @Override
  public synchronized ScheduledFuture<?> schedule(Runnable task, long delay, TimeUnit unit) {
    ScheduledFuture<?> handle = super.schedule(task, FAR_DAYS, TimeUnit.DAYS);
    timers.add(new Timer(now.plus(Duration.of(delay, unit.toChronoUnit())), task, handle));
    return handle;
  }

  /** Lets time pass: runs all timers that are due then and were not cancelled. */
  public void pass(Duration time) {
    List<Timer> due;
    synchronized (this) {
      now = now.plus(time);
      due = timers.stream().filter(timer -> timer.due().compareTo(now) <= 0).toList();
      timers.removeAll(due);
    }
    for (Timer timer : due) {
      if (!timer.handle().isCancelled()) {
        timer.task().run();
      }
    }
  }
}
