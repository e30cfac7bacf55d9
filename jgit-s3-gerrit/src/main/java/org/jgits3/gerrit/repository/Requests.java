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
import com.google.inject.Key;
import com.google.inject.OutOfScopeException;
import com.google.inject.Provider;
import com.google.inject.servlet.ServletScopes;
import java.lang.reflect.Field;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentMap;
import org.jgits3.S3Repository;

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

  /** Time after which a request counts as another one: {@code stream-events} may run for days. */
  static final Duration LONGEST = Duration.ofSeconds(10);

  private static final String TASKS = "com.google.gerrit.server.";
  private static final String NESTED = RequestContext.class.getPackageName();

  /** Request within which another one is made; null if Gerrit has it elsewhere. */
  private static final Field OUTER = outer();

  private final ThreadLocalRequestContext thread =
      // Its constructor is Gerrit's own, what it returns is static; Gerrit binds it elsewhere.
      Guice.createInjector().getInstance(ThreadLocalRequestContext.class);

  /** The HTTP request of the calling thread, as an attribute of that. */
  private final Provider<Request> ofHttp =
      ServletScopes.REQUEST.scope(Key.get(Request.class), Request::new);

  private final ConcurrentMap<RequestContext, Request> known = new MapMaker().weakKeys().makeMap();

  /** Moment that work of the thread was given, whatever requests it makes. */
  private final ThreadLocal<Long> given = new ThreadLocal<>();

  /** A request that has asked for a project. */
  static final class Request {
    private final long moment = System.nanoTime();
    private final ConcurrentMap<String, S3Repository> handles =
        new MapMaker().weakValues().makeMap();

    /** This request, or another one if it has taken too long. */
    private Request orNext() {
      return System.nanoTime() - moment < LONGEST.toNanos() ? this : new Request();
    }

    /**
     * Notes a handle that this request has opened. It sees at once what others of the request have
     * received and inserted, and lists it with its refs.
     */
    void opened(String name, S3Repository handle) {
      handles.compute(
          name,
          (same, before) -> {
            if (before != null) {
              handle.getObjectDatabase().deferTogetherWith(before.getObjectDatabase());
            }
            return handle;
          });
    }
  }

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
    return current().map(request -> request.moment).orElse(System.nanoTime() - OUTSIDE.toNanos());
  }

  /** Returns the request that the calling thread works for; empty if it does so by itself. */
  Optional<Request> current() {
    RequestContext context = outermost(thread.getContext());
    if (isGiven() || context == null || outlivesRequests(context) || isTask(context)) {
      return Optional.empty();
    }
    return Optional.of(known.compute(context, (c, its) -> (its == null ? first() : its).orNext()));
  }

  /** The HTTP request of the calling thread, if it has one, else a new request. */
  private Request first() {
    try {
      return ofHttp.get();
    } catch (OutOfScopeException e) {
      return new Request(); // of SSH, or a thread that works for a request
    }
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
