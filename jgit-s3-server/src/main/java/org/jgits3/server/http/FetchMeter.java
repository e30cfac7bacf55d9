// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.http;

import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpFilter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.eclipse.jgit.http.server.GitSmartHttpTools;
import org.eclipse.jgit.http.server.ServletUtils;
import org.eclipse.jgit.transport.UploadPack;
import org.jgits3.server.http.metrics.ServerMetrics;

/**
 * Times requests of fetches by result: {@code ok} if a pack was sent, {@code negotiated} if the
 * request only listed refs or exchanged commits, {@code failed} otherwise.
 */
final class FetchMeter extends HttpFilter {
  private final ServerMetrics metrics;

  FetchMeter(ServerMetrics metrics) {
    this.metrics = metrics;
  }

  @Override
  protected void doFilter(HttpServletRequest req, HttpServletResponse rsp, FilterChain chain)
      throws IOException, ServletException {
    if (!GitSmartHttpTools.isUploadPack(req)) {
      chain.doFilter(req, rsp);
      return;
    }
    UploadPack up = (UploadPack) req.getAttribute(ServletUtils.ATTRIBUTE_HANDLER);
    Timer.Sample sample = Timer.start(metrics.registry());
    boolean returned = false;
    try {
      chain.doFilter(req, rsp);
      returned = true;
    } finally {
      boolean answered = returned && rsp.getStatus() < HttpServletResponse.SC_BAD_REQUEST;
      sample.stop(
          metrics.timer(
              "jgits3.fetch", "Fetches by result", Tags.of("result", result(up, answered))));
    }
  }

  private static String result(UploadPack up, boolean answered) {
    if (!answered || ((LimitedUploadPack) up).isRefused()) {
      return "failed";
    }
    return up.getStatistics() == null ? "negotiated" : "ok";
  }
}
