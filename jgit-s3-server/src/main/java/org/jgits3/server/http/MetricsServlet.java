// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.http;

import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;

/** {@code /metrics}: everything counted so far, as Prometheus text. */
final class MetricsServlet extends HttpServlet {
  static final String PATH = "/metrics";

  private final ServerMetrics metrics;

  MetricsServlet(ServerMetrics metrics) {
    this.metrics = metrics;
  }

  @Override
  protected void doGet(HttpServletRequest req, HttpServletResponse rsp) throws IOException {
    rsp.setContentType("text/plain;version=0.0.4;charset=utf-8");
    rsp.getWriter().print(metrics.prometheusText());
  }
}
