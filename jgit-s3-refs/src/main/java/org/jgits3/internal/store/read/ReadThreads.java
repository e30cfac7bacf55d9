// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.store.read;

import java.util.concurrent.Executor;
import org.jgits3.internal.concurrent.DaemonThreads;

/**
 * The threads that make requests beside those of callers, for the whole process. They are few, and
 * may all be busy: whoever gives them work does what has not begun itself, rather than wait for it.
 * So it is no failure either if no thread can be had.
 */
final class ReadThreads {
  /** Requests in flight beside those of callers: enough for five streams that are read ahead. */
  private static final int COUNT = 16;

  private static final Executor THREADS = DaemonThreads.pool("jgit-s3-read", COUNT);

  private ReadThreads() {}

  static void execute(Runnable work) {
    try {
      THREADS.execute(work);
    } catch (OutOfMemoryError e) {
      return; // and not a word of it, which would take memory
    }
  }
}
