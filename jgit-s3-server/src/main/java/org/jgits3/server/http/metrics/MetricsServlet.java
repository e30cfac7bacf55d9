// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.http.metrics;

import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;

/** {@code /metrics}: everything counted so far, as Prometheus text. */
public final class MetricsServlet extends HttpServlet {
  public static final String PATH = "/metrics";

  private final ServerMetrics metrics;

  public MetricsServlet(ServerMetrics metrics) {
    this.metrics = metrics;
  }

  @Override
  protected void doGet(HttpServletRequest req, HttpServletResponse rsp) throws IOException {
    rsp.setContentType("text/plain;version=0.0.4;charset=utf-8");
    rsp.getWriter().print(metrics.prometheusText());
  }
}
