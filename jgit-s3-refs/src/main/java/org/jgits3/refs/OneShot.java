// SPDX-License-Identifier: Apache-2.0
package org.jgits3.refs;

import java.io.IOException;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;

/**
 * Something done in a thread of its own while the caller does something else: for batches so large
 * that they are rare and a thread costs nothing beside them.
 *
 * @param <T> type of the result
 */
final class OneShot<T> {
  private final FutureTask<T> task;

  private OneShot(FutureTask<T> task) {
    this.task = task;
  }

  static <T> OneShot<T> start(Callable<T> work) {
    FutureTask<T> task = new FutureTask<>(work);
    Thread thread = new Thread(task, "jgit-s3-batch");
    thread.setDaemon(true);
    thread.start();
    return new OneShot<>(task);
  }

  /**
   * Waits for the end, however often the caller is interrupted: what is being uploaded or read must
   * not be touched before.
   *
   * @return the result
   * @throws IOException what the work failed with
   */
  T join() throws IOException {
    boolean interrupted = false;
    try {
      while (true) {
        try {
          return task.get();
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
    } catch (ExecutionException e) {
      if (e.getCause() instanceof IOException io) {
        throw io;
      }
      throw new IllegalStateException(e.getCause());
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /**
   * Waits for the end after the caller has failed.
   *
   * @param failure what the caller fails with; learns if the work failed as well
   */
  void joinAfter(Throwable failure) {
    try {
      join();
    } catch (IOException | RuntimeException e) {
      failure.addSuppressed(e);
    }
  }
}
