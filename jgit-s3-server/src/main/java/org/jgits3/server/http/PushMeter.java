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
import java.util.Locale;
import org.eclipse.jgit.http.server.GitSmartHttpTools;
import org.eclipse.jgit.http.server.ServletUtils;
import org.jgits3.server.http.metrics.ServerMetrics;

/** Times pushes by result, see {@link ObservedReceivePack.Outcome}. */
final class PushMeter extends HttpFilter {
  private final ServerMetrics metrics;

  PushMeter(ServerMetrics metrics) {
    this.metrics = metrics;
  }

  @Override
  protected void doFilter(HttpServletRequest req, HttpServletResponse rsp, FilterChain chain)
      throws IOException, ServletException {
    if (!GitSmartHttpTools.isReceivePack(req)) {
      chain.doFilter(req, rsp);
      return;
    }
    ObservedReceivePack rp = (ObservedReceivePack) req.getAttribute(ServletUtils.ATTRIBUTE_HANDLER);
    Timer.Sample sample = Timer.start(metrics.registry());
    try {
      chain.doFilter(req, rsp);
    } finally {
      String result = rp.outcome().name().toLowerCase(Locale.ROOT);
      sample.stop(metrics.timer("jgits3.push", "Pushes by result", Tags.of("result", result)));
    }
  }
}
