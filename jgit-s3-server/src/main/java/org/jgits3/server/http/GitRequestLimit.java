// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.http;

import java.time.Duration;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpMethod;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.handler.QoSHandler;
import org.eclipse.jetty.util.Callback;

/**
 * Bounds the requests of Git clients that go on at a time, and with them memory and threads:
 * however many clients fetch and push, the heap has room for those that go on, and {@code /healthz}
 * and {@code /metrics} find a thread. The next ones wait, without a thread, in the order of
 * arrival. A request for which too many wait already is answered 503 at once, one that waited for
 * 30 seconds then.
 */
final class GitRequestLimit extends QoSHandler {
  /** Requests at a time, however large the heap is. */
  static final int MOST = 96;

  /**
   * Bytes of heap for each request. A push takes up to 3 MiB while its pack arrives: a block of the
   * cache that is being filled and one that is read, and the beginning of the pack. The rest is for
   * what all requests share: caches, part buffers, refs, indexes.
   */
  private static final long HEAP_OF_EACH = 16 << 20;

  private static final int LEAST = 2;
  private static final int WAITING_FOR_EACH = 10;
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
    super(next);
    setMaxRequestCount(atOnce);
    setMaxSuspendedRequestCount(atOnce * WAITING_FOR_EACH);
    setMaxSuspend(LONGEST_WAIT);
    excludePath(HealthServlet.PATH, MetricsServlet.PATH);
  }

  /**
   * Requests at a time that a heap has room for.
   *
   * @param heap bytes that the process may use at most
   * @return number of requests
   */
  static int thatFit(long heap) {
    return (int) Math.max(LEAST, Math.min(MOST, heap / HEAP_OF_EACH));
  }

  /**
   * Clients that have read the refs go first: Git shows why a request was refused only where it
   * asks for the refs.
   */
  @Override
  protected int getPriority(Request request) {
    return HttpMethod.POST.is(request.getMethod()) ? 1 : 0;
  }

  @Override
  protected void reject(Request request, Response response, Callback callback, int status) {
    refuse(response, callback);
  }

  @Override
  protected void failSuspended(
      Request request, Response response, Callback callback, int status, Throwable failure) {
    if (status == HttpStatus.SERVICE_UNAVAILABLE_503) {
      refuse(response, callback);
    } else {
      super.failSuspended(request, response, callback, status, failure);
    }
  }

  private static void refuse(Response response, Callback callback) {
    response.setStatus(HttpStatus.SERVICE_UNAVAILABLE_503);
    response.getHeaders().put(HttpHeader.RETRY_AFTER, RETRY_AFTER);
    OneLineErrorHandler.write(
        response, "the server is busy: too many requests, try again\n", callback);
  }
}
