// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.store.read;

import java.util.concurrent.Executor;
import org.jgits3.internal.concurrent.DaemonThreads;

/**
 * Threads of the process that send requests beside the threads of callers. They are few and may all
 * be busy: instead of waiting for a task that has not begun, a caller runs it itself. For the same
 * reason, it is no failure if no thread can be started.
 */
final class ReadThreads {
  /** Requests in flight beside those of callers: enough to read five streams ahead. */
  private static final int COUNT = 16;

  private static final Executor THREADS = DaemonThreads.pool("jgit-s3-read", COUNT);

  private ReadThreads() {}

  static void execute(Runnable work) {
    DaemonThreads.offer(THREADS, work);
  }
}
