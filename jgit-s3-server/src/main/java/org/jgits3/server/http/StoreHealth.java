// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.http;

import java.io.Closeable;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.jgits3.internal.concurrent.DaemonThreads;
import org.jgits3.internal.function.IoRunnable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells whether the store answers. Sends one request to the store at a time, at most one a second,
 * and only when asked. While a request is under way for longer than a second, the store counts as
 * away. Safe for use by many threads.
 */
final class StoreHealth implements Closeable {
  private static final Logger LOG = LoggerFactory.getLogger(StoreHealth.class);
  private static final Duration PATIENCE = Duration.ofSeconds(1);

  /** Fails, with the reason in one line, if the store does not answer. */
  private final IoRunnable check;

  private final ExecutorService thread =
      Executors.newSingleThreadExecutor(DaemonThreads.named("store-health"));

  /** Last check that was begun; guarded by this. */
  private Check last =
      new Check(CompletableFuture.completedFuture(true), System.nanoTime() - PATIENCE.toNanos());

  /** Used by the thread of the checks. */
  private boolean away;

  StoreHealth(IoRunnable check) {
    this.check = check;
  }

  /**
   * One request to the store.
   *
   * @param answer true if the store answers; never fails
   * @param told the same; false after a second
   * @param begun {@link System#nanoTime} of its beginning
   */
  private record Check(
      CompletableFuture<Boolean> answer, CompletableFuture<Boolean> told, long begun) {
    Check(CompletableFuture<Boolean> answer, long begun) {
      this(
          answer,
          answer.copy().completeOnTimeout(false, PATIENCE.toMillis(), TimeUnit.MILLISECONDS),
          begun);
    }

    boolean isFresh() {
      return !answer.isDone() || System.nanoTime() - begun < PATIENCE.toNanos();
    }
  }

  /**
   * Asks the store, unless a check is under way or was begun less than a second ago.
   *
   * @return true if the store answers; complete after a second at most, and never fails
   */
  synchronized CompletableFuture<Boolean> answers() {
    if (!last.isFresh()) {
      last = new Check(CompletableFuture.supplyAsync(this::ask, thread), System.nanoTime());
    }
    return last.answer().isDone() ? last.answer() : last.told();
  }

  private boolean ask() {
    try {
      check.run();
      if (away) {
        LOG.info("store answers again");
      }
      away = false;
    } catch (IOException | RuntimeException e) {
      if (!away) {
        LOG.warn("store does not answer: {}", e.getMessage());
      }
      away = true;
    }
    return !away;
  }

  @Override
  public void close() {
    thread.shutdownNow();
  }
}
