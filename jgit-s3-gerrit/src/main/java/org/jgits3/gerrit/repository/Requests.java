// SPDX-License-Identifier: Apache-2.0
package org.jgits3.gerrit.repository;

import com.google.common.collect.MapMaker;
import com.google.gerrit.common.Nullable;
import com.google.gerrit.server.util.ManualRequestContext;
import com.google.gerrit.server.util.PluginRequestContext;
import com.google.gerrit.server.util.RequestContext;
import com.google.gerrit.server.util.ServerRequestContext;
import com.google.gerrit.server.util.ThreadLocalRequestContext;
import com.google.inject.Guice;
import java.lang.reflect.Field;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentMap;

/**
 * The request of the calling thread, and the moment since which refs must have been read from the
 * store to serve it.
 *
 * <p>A request of Gerrit is a {@link RequestContext}: all its threads are given the same object,
 * also those that work for it in the background. Its moment is when it first asks, and counts for
 * requests that are made within it, too. A fetch or push by HTTP that Gerrit queues is one request,
 * though it passes the filters twice, each time with another context. Safe for use by many threads.
 */
final class Requests {
  /** Age of refs that work outside any request may see, such as a reindexing of all changes. */
  static final Duration OUTSIDE = Duration.ofMillis(200);

  private static final String TASKS = "com.google.gerrit.server.";
  private static final String NESTED = RequestContext.class.getPackageName();

  /** Request within which another one is made; null if Gerrit has it elsewhere. */
  private static final Field OUTER = outer();

  private final ThreadLocalRequestContext thread =
      // Its constructor is Gerrit's own, what it returns is static; Gerrit binds it elsewhere.
      Guice.createInjector().getInstance(ThreadLocalRequestContext.class);

  /** The HTTP request that the thread serves. */
  private final ThreadLocal<GerritRequest> ofHttp = new ThreadLocal<>();

  private final ConcurrentMap<RequestContext, GerritRequest> known =
      new MapMaker().weakKeys().makeMap();

  /** Moment that work of the thread was given, whatever requests it makes. */
  private final ThreadLocal<Long> given = new ThreadLocal<>();

  /** Finds what Gerrit keeps for itself, to go back to. */
  @Nullable
  private static Field outer() {
    try {
      Field field = ManualRequestContext.class.getDeclaredField("old");
      field.setAccessible(true);
      return field;
    } catch (ReflectiveOperationException | RuntimeException e) {
      return null; // then requests within others have moments of their own
    }
  }

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
    return current().map(GerritRequest::moment).orElse(System.nanoTime() - OUTSIDE.toNanos());
  }

  /** Returns the request that the calling thread works for; empty if it does so by itself. */
  Optional<GerritRequest> current() {
    RequestContext context = outermost(thread.getContext());
    if (isGiven() || context == null || outlivesRequests(context) || isTask(context)) {
      return Optional.empty();
    }
    return Optional.of(known.compute(context, (c, its) -> (its == null ? first() : its).orNext()));
  }

  /** The HTTP request of the calling thread, if it has one, else a new request. */
  private GerritRequest first() {
    GerritRequest request = ofHttp.get();
    return request == null ? new GerritRequest() : request;
  }

  /** Notes that the calling thread serves an HTTP request until {@link #leave}. */
  void enter(GerritRequest request) {
    ofHttp.set(request);
  }

  /** Notes that the calling thread serves its HTTP request no longer. */
  void leave() {
    ofHttp.remove();
  }

  /** Returns the request or task within which a request is made. */
  @Nullable
  private static RequestContext outermost(@Nullable RequestContext context) {
    RequestContext outermost = context;
    RequestContext next = outer(context);
    while (next != null && !outlivesRequests(next)) {
      outermost = next;
      next = outer(next);
    }
    return outermost;
  }

  @Nullable
  private static RequestContext outer(@Nullable RequestContext context) {
    try {
      return OUTER != null && context instanceof ManualRequestContext
          ? (RequestContext) OUTER.get(context)
          : null;
    } catch (IllegalAccessException e) {
      throw new IllegalStateException("was accessible", e);
    }
  }

  /** Contexts of which there is one for all that the server or a plugin does by itself. */
  private static boolean outlivesRequests(RequestContext context) {
    return context instanceof ServerRequestContext || context instanceof PluginRequestContext;
  }

  /**
   * Tests for tasks that Gerrit does by itself after a request, such as indexing and sending mail.
   * They make a context of their own class; requests come from {@code httpd} and {@code sshd}, and
   * those made by hand have a class of {@code server.util}.
   */
  private static boolean isTask(RequestContext context) {
    String location = context.getClass().getPackageName();
    return location.startsWith(TASKS) && !location.equals(NESTED);
  }
}
