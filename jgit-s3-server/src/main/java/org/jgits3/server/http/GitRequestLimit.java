// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.http;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpMethod;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.handler.QoSHandler;
import org.eclipse.jetty.util.Callback;
import org.jgits3.server.http.limit.OneLineAnswer;

/**
 * Bounds the concurrent requests of Git clients, and with them memory and threads: the heap has
 * room for all of them. Only requests whose user is known come here, if the server has users.
 * Further requests wait without holding a thread: first those that have read the refs, else in the
 * order of arrival. A request is answered 503 if too many wait already, or after it has waited 30
 * seconds.
 */
final class GitRequestLimit extends QoSHandler {
  /** Maximum number of concurrent requests with a heap of any size. */
  static final int MOST = 96;

  /**
   * Bytes of heap for each request. A push takes up to 3 MiB while its pack arrives: one block of
   * the cache that is being filled, one that is being read, and the beginning of the pack. The rest
   * is for what requests share: caches, part buffers, refs, indexes.
   */
  private static final long HEAP_OF_EACH = 16 << 20;

  private static final int LEAST = 2;
  private static final int WAITING_FOR_EACH = 10;
  private static final Duration LONGEST_WAIT = Duration.ofSeconds(30);

  /** Value of the Retry-After header, in seconds. */
  private static final int RETRY_AFTER = 10;

  private final AtomicInteger running;

  /**
   * Limits requests.
   *
   * @param next handler that serves them
   * @param atOnce maximum number at a time
   */
  GitRequestLimit(Handler next, int atOnce) {
    this(next, atOnce, new AtomicInteger());
  }

  private GitRequestLimit(Handler next, int atOnce, AtomicInteger running) {
    super(new Counted(next, running));
    this.running = running;
    setMaxRequestCount(atOnce);
    setMaxSuspendedRequestCount(atOnce * WAITING_FOR_EACH);
    setMaxSuspend(LONGEST_WAIT);
  }

  /** Counts the requests that are being served. */
  private static final class Counted extends Handler.Wrapper {
    private final AtomicInteger running;

    Counted(Handler next, AtomicInteger running) {
      super(next);
      this.running = running;
    }

    @Override
    public boolean handle(Request request, Response response, Callback callback) throws Exception {
      running.incrementAndGet();
      Request.addCompletionListener(request, failure -> running.decrementAndGet());
      return super.handle(request, response, callback);
    }
  }

  /** Number of requests that are being served. */
  int running() {
    return running.get();
  }

  /**
   * Number of concurrent requests that fit in a heap.
   *
   * @param heap maximum size of the heap in bytes
   * @return number of requests
   */
  static int thatFit(long heap) {
    return (int) Math.max(LEAST, Math.min(MOST, heap / HEAP_OF_EACH));
  }

  /**
   * Prefers clients that have read the refs already: Git shows the reason of a refusal only for the
   * request that reads the refs.
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
    response.getHeaders().put(HttpHeader.RETRY_AFTER, RETRY_AFTER);
    OneLineAnswer.write(
        response,
        HttpStatus.SERVICE_UNAVAILABLE_503,
        "the server is busy: too many requests, try again",
        callback);
  }
}
