// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.http;

import java.time.Duration;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.handler.QoSHandler;
import org.eclipse.jetty.util.Callback;

/**
 * Leaves threads to {@code /healthz} and {@code /metrics} however many clients fetch and push: of
 * all other requests only so many go on at a time. The next ones wait, without a thread, and are
 * answered 503 if that takes too long or too many wait already.
 */
final class GitRequestLimit extends QoSHandler {
  private static final int MOST_WAITING = 1024;
  private static final Duration LONGEST_WAIT = Duration.ofSeconds(30);

  /** In seconds. */
  private static final int RETRY_AFTER = 10;

  /**
   * Limits requests.
   *
   * @param next who serves them
   * @param atOnce most of them at a time
   */
  GitRequestLimit(Handler next, int atOnce) {
    this(next, atOnce, MOST_WAITING, LONGEST_WAIT);
  }

  GitRequestLimit(Handler next, int atOnce, int waiting, Duration longestWait) {
    super(next);
    setMaxRequestCount(atOnce);
    setMaxSuspendedRequestCount(waiting);
    setMaxSuspend(longestWait);
    excludePath(HealthServlet.PATH, MetricsServlet.PATH);
  }

  @Override
  protected void reject(Request request, Response response, Callback callback, int status) {
    response.getHeaders().put(HttpHeader.RETRY_AFTER, RETRY_AFTER);
    super.reject(request, response, callback, status);
  }

  @Override
  protected void failSuspended(
      Request request, Response response, Callback callback, int status, Throwable failure) {
    response.getHeaders().put(HttpHeader.RETRY_AFTER, RETRY_AFTER);
    super.failSuspended(request, response, callback, status, failure);
  }
}
