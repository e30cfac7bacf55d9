// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.http.metrics;

import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;

/** Answers {@code /metrics}: everything counted so far, as Prometheus text. */
public final class MetricsHandler extends Handler.Wrapper {
  private static final String PATH = "/metrics";

  private final ServerMetrics metrics;

  /**
   * Creates a handler.
   *
   * @param metrics metrics that it shows
   * @param next handler of all other paths
   */
  public MetricsHandler(ServerMetrics metrics, Handler next) {
    super(next);
    this.metrics = metrics;
  }

  @Override
  public boolean handle(Request request, Response response, Callback callback) throws Exception {
    if (!request.getHttpURI().getPath().equals(PATH)) {
      return super.handle(request, response, callback);
    }
    response.getHeaders().put(HttpHeader.CONTENT_TYPE, "text/plain;version=0.0.4;charset=utf-8");
    Content.Sink.write(response, true, metrics.prometheusText(), callback);
    return true;
  }
}
