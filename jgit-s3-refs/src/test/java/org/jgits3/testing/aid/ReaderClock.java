// SPDX-License-Identifier: Apache-2.0
package org.jgits3.testing.aid;

import java.time.Instant;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import org.eclipse.jgit.util.SystemReader;

/** The time of JGit's system reader, until it is closed. Not for concurrent tests. */
public final class ReaderClock implements AutoCloseable {
  private final SystemReader machine = SystemReader.getInstance();

  /** Sets the time. */
  public ReaderClock(Supplier<Instant> now) {
    SystemReader.setInstance(
        new SystemReader.Delegate(machine) {
          @Override
          public long getCurrentTime() {
            return now().toEpochMilli();
          }

          @Override
          public Instant now() {
            return now.get();
          }
        });
  }

  /** Calls something at another time. */
  public static <T> T at(Supplier<Instant> now, Callable<T> call) throws Exception {
    ReaderClock clock = new ReaderClock(now);
    try {
      return call.call();
    } finally {
      clock.close();
    }
  }

  @Override
  public void close() {
    SystemReader.setInstance(machine);
  }
}
