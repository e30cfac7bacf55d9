// SPDX-License-Identifier: Apache-2.0
package org.jgits3.simulation.world;

import java.io.IOException;
import java.util.Optional;
import java.util.SplittableRandom;
import org.jgits3.internal.function.IoRunnable;
import org.jgits3.internal.function.IoSupplier;
import org.jgits3.simulation.Scheduler;
import org.jgits3.simulation.World;

/** Processes that do one thing after the other, and a new process for each that dies. */
abstract class ProcessesWorld implements World {
  Scheduler scheduler;
  SplittableRandom random;
  History history;
  Bucket bucket;

  /** Things that are yet to be done. */
  int left;

  private int running;
  private int processes;

  /** Begins a run, with a prefix for the names of its operations. */
  void begin(Scheduler of, String prefix) {
    scheduler = of;
    random = of.random();
    history = new History(of, prefix);
    bucket = history.bucket();
  }

  /** Starts a process. */
  abstract void start();

  /** Starts two or three processes. */
  void startSome() {
    int count = 2 + random.nextInt(2);
    for (int i = 0; i < count; i++) {
      start();
    }
  }

  Scheduler.Jvm process(long skewMillis) {
    return new Scheduler.Jvm("p" + processes++, skewMillis);
  }

  /** Starts a thread of a process. Once thread 0 has ended by a death, another process starts. */
  void start(Scheduler.Jvm process, int thread, Runnable work) {
    running++;
    scheduler.spawn(
        process,
        process + "." + thread,
        work,
        () -> {
          running--;
          if (thread == 0 && process.dead() && left > 0) {
            start();
          }
        });
  }

  /** Does a thing as long as some are left. */
  void work(IoRunnable thing) {
    while (left > 0) {
      left--;
      try {
        thing.run();
      } catch (IOException e) {
        scheduler.trace(e::toString);
      }
    }
  }

  /** Waits until all processes have ended and all requests have arrived, and checks the history. */
  void end() {
    scheduler.await(() -> running == 0);
    bucket.trouble(Trouble.NONE);
    bucket.deliverAll();
    history.checkAll();
  }

  /** Does an operation on a name. */
  Names.Report naming(Names.Kind kind, Optional<String> from, String to, IoSupplier<String> work) {
    return history.naming().run(kind, from, to, work);
  }
}
