// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.commit;

import java.util.concurrent.TimeUnit;

/** Time for deadlines and pauses; nothing that keeps data safe depends on it. */
public interface Ticker {
  /**
   * Time since some fixed moment.
   *
   * @return nanoseconds
   */
  long nanoTime();

  /**
   * Pauses the current thread.
   *
   * @param nanos how long
   * @throws InterruptedException if the thread is interrupted
   */
  void sleep(long nanos) throws InterruptedException;

  /** The time of this process. */
  Ticker SYSTEM =
      new Ticker() {
        @Override
        public long nanoTime() {
          return System.nanoTime();
        }

        @Override
        public void sleep(long nanos) throws InterruptedException {
          TimeUnit.NANOSECONDS.sleep(nanos);
        }
      };
}
