// SPDX-License-Identifier: Apache-2.0
package org.jgits3.gerrit.e2e.writers;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Tasks that run at the same time. */
public final class Together {
  private Together() {}

  /** Runs each task in a thread of its own, and returns their results in the same order. */
  public static <T> List<T> all(List<Callable<T>> tasks) throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(tasks.size());
    try {
      List<T> results = new ArrayList<>();
      for (Future<T> future : threads.invokeAll(tasks)) {
        results.add(future.get());
      }
      return results;
    } finally {
      threads.shutdownNow();
    }
  }
}
