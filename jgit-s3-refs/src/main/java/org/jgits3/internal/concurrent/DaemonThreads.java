// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.concurrent;

import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** Threads of the library. None of them keeps the JVM alive. */
public final class DaemonThreads {
  private static final long IDLE_SECONDS = 10;

  private DaemonThreads() {}

  /**
   * Returns a factory of threads with one name.
   *
   * @param name their name
   * @return a factory
   */
  public static ThreadFactory named(String name) {
    return work -> {
      Thread thread = new Thread(work, name);
      thread.setDaemon(true);
      return thread;
    };
  }

  /**
   * Returns a pool whose idle threads end. Tasks wait in order if all threads are busy.
   *
   * @param name name of the threads
   * @param count most threads
   * @return the pool; without threads at first
   */
  public static ThreadPoolExecutor pool(String name, int count) {
    ThreadPoolExecutor pool =
        new ThreadPoolExecutor(
            count, count, IDLE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), named(name));
    pool.allowCoreThreadTimeOut(true);
    return pool;
  }

  /**
   * Hands work to threads, unless they have ended or none can be started.
   *
   * @param threads threads that do the work
   * @param work the work
   * @return false if it will never run: the threads have ended, or memory is lacking for one. Logs
   *     nothing, because logging would allocate
   */
  public static boolean offer(Executor threads, Runnable work) {
    try {
      threads.execute(work);
      return true;
    } catch (RejectedExecutionException | OutOfMemoryError e) {
      return false;
    }
  }
}
