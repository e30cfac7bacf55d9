// SPDX-License-Identifier: Apache-2.0
package org.jgits3.gerrit.repository;

import com.google.common.collect.MapMaker;
import com.google.gerrit.server.util.PluginRequestContext;
import com.google.gerrit.server.util.RequestContext;
import com.google.gerrit.server.util.ServerRequestContext;
import com.google.gerrit.server.util.ThreadLocalRequestContext;
import com.google.inject.Guice;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentMap;

/**
 * Moments since which refs must have been read from the store to serve the request of the calling
 * thread.
 *
 * <p>A request of Gerrit is a {@link RequestContext}: all its threads are given the same object,
 * also those that work for it in the background. Its moment is when it first asks. Safe for use by
 * many threads.
 */
final class RequestMoments {
  /** Age of refs that work outside any request may see, such as a reindexing of all changes. */
  static final Duration OUTSIDE = Duration.ofMillis(200);

  /** Time after which a request counts as another one: {@code stream-events} may run for days. */
  static final Duration LONGEST = Duration.ofSeconds(10);

  private static final String TASKS = "com.google.gerrit.server.";
  private static final String NESTED = RequestContext.class.getPackageName();

  private final ThreadLocalRequestContext current =
      // Its constructor is Gerrit's own, what it returns is static; Gerrit binds it elsewhere.
      Guice.createInjector().getInstance(ThreadLocalRequestContext.class);

  private final ConcurrentMap<RequestContext, Long> began = new MapMaker().weakKeys().makeMap();

  /** Moment that work of the thread was given, whatever requests it makes. */
  private final ThreadLocal<Long> given = new ThreadLocal<>();

  /** Does work in the calling thread, for which refs count that were read since a moment. */
  <T> T since(long moment, Callable<T> work) throws Exception {
    given.set(moment);
    try {
      return work.call();
    } finally {
      given.remove();
    }
  }

  /** Tests whether the moment of the calling thread was given, and is not that of its request. */
  boolean isGiven() {
    return given.get() != null;
  }

  /**
   * Returns the moment for the calling thread.
   *
   * @return a reading of {@link System#nanoTime}
   */
  long moment() {
    if (isGiven()) {
      return given.get();
    }
    RequestContext context = current.getContext();
    long now = System.nanoTime();
    if (context == null || outlivesRequests(context) || isTask(context)) {
      return now - OUTSIDE.toNanos();
    }
    return began.merge(
        context, now, (first, next) -> next - first < LONGEST.toNanos() ? first : next);
  }

  /** Contexts of which there is one for all that the server or a plugin does by itself. */
  private static boolean outlivesRequests(RequestContext context) {
    return context instanceof ServerRequestContext || context instanceof PluginRequestContext;
  }

  /**
   * Tests for tasks that Gerrit does by itself after a request, such as indexing and sending mail.
   * They make a context of their own class; requests come from {@code httpd} and {@code sshd}, and
   * what is nested in them has a class of {@code server.util}.
   */
  private static boolean isTask(RequestContext context) {
    String location = context.getClass().getPackageName();
    return location.startsWith(TASKS) && !location.equals(NESTED);
  }
}
