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
import org.jgits3.store.RequestOutcome;

/**
 * The request of the calling thread, and the moment since which refs must have been read from the
 * store to serve it.
 *
 * <p>A request of Gerrit is a {@link RequestContext}: all threads that work for it get the same
 * object, including background threads. Its moment is when it first asks, or when the filter begins
 * it, and also holds for requests made within it. A fetch or push by HTTP that Gerrit queues is one
 * request, although it passes the filters twice, each time with another context. Safe for use by
 * many threads.
 */
final class Requests {
  /**
   * Maximum age of the refs that work outside any request may see, such as a reindexing of all
   * changes.
   */
  static final Duration OUTSIDE = Duration.ofMillis(200);

  private static final String TASKS = "com.google.gerrit.server.";

  /** Field with the outer request of a nested one; null if this Gerrit has no such field. */
  private static final Field OUTER = outer();

  private final ThreadLocalRequestContext thread =
      // Only Gerrit can call its constructor, and its state is static; Gerrit binds the class
      // elsewhere.
      Guice.createInjector().getInstance(ThreadLocalRequestContext.class);

  /** The HTTP request that the thread serves. */
  private final ThreadLocal<GerritRequest> ofHttp = new ThreadLocal<>();

  private final ConcurrentMap<RequestContext, GerritRequest> known =
      new MapMaker().weakKeys().makeMap();

  /** Moment set by {@link #since} for work of the thread, which overrides those of requests. */
  private final ThreadLocal<Long> given = new ThreadLocal<>();

  /** Finds the private field in which Gerrit keeps the outer request. */
  @Nullable
  private static Field outer() {
    try {
      Field field = ManualRequestContext.class.getDeclaredField("old");
      field.setAccessible(true);
      return field;
    } catch (ReflectiveOperationException | RuntimeException e) {
      return null; // then nested requests have moments of their own
    }
  }

  /** Does work in the calling thread that accepts refs read since a moment. */
  <T> T since(long moment, Callable<T> work) throws Exception {
    given.set(moment);
    try {
      return work.call();
    } finally {
      given.remove();
    }
  }

  /** Tests whether {@link #since} has set the moment of the calling thread. */
  private boolean isGiven() {
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

  /** Returns the request that the calling thread works for; empty if it works for none. */
  Optional<GerritRequest> current() {
    RequestContext context = outermost(thread.getContext());
    if (isGiven() || context == null || outlivesRequests(context) || isTask(context.getClass())) {
      return Optional.empty();
    }
    return Optional.of(known.compute(context, (c, its) -> (its == null ? first() : its).orNext()));
  }

  /** Tests whether the calling thread works for a request of a user, at any depth. */
  boolean isOfUser() {
    return current().isPresent()
        && !(outermost(thread.getContext()) instanceof ManualRequestContext);
  }

  /**
   * Notes that a request to the store failed, made by the calling thread. If the store did not
   * answer, that concerns all requests: some may wait for what another one loads. A request to the
   * store that was cancelled concerns its own request only.
   */
  void failed(RequestOutcome outcome) {
    if (outcome == RequestOutcome.UNAVAILABLE && !Thread.currentThread().isInterrupted()) {
      known.values().forEach(GerritRequest::fail);
    } else {
      current().ifPresent(GerritRequest::fail);
    }
  }

  /** Notes that something could not be read for the request of the calling thread. */
  void doubt() {
    Optional.ofNullable(ofHttp.get()).or(this::current).ifPresent(GerritRequest::fail);
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

  /** Tests for the contexts that all background work of the server, or of a plugin, shares. */
  private static boolean outlivesRequests(RequestContext context) {
    return context instanceof ServerRequestContext || context instanceof PluginRequestContext;
  }

  /**
   * Tests for tasks that Gerrit runs after a request, such as indexing and sending mail. They
   * create contexts of their own classes; the contexts of requests are of {@code httpd} and {@code
   * sshd}, and those of nested requests are {@link ManualRequestContext}s.
   *
   * @param context class of the context
   */
  static boolean isTask(Class<?> context) {
    return context.getName().startsWith(TASKS)
        && !ManualRequestContext.class.isAssignableFrom(context);
  }
}
