// SPDX-License-Identifier: Apache-2.0
package org.jgits3.testing.aid;

import java.util.concurrent.Callable;
import org.jgits3.store.ConcurrentTasks;

/** Work in places where no exception is declared: one that is thrown fails the test. */
public final class Unchecked {
  private Unchecked() {}

  /** Does something. */
  public static void run(ConcurrentTasks.Task task) {
    call(
        () -> {
          task.run();
          return true;
        });
  }

  /** Returns what something returns. */
  public static <T> T call(Callable<T> call) {
    try {
      return call.call();
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }
}
