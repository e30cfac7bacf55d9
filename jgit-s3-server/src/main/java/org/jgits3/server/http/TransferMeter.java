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
import java.util.List;
import java.util.Locale;
import org.eclipse.jgit.http.server.GitSmartHttpTools;
import org.eclipse.jgit.http.server.ServletUtils;
import org.jgits3.server.http.access.Transfer;
import org.jgits3.server.http.metrics.ServerMetrics;

/**
 * Notes each transfer for the log of accesses, and times pushes by result, see {@link
 * ObservedReceivePack.Outcome}, and requests of fetches: {@code ok} if a pack was sent, {@code
 * negotiated} if the request only listed refs or exchanged commits, {@code failed} otherwise.
 */
final class TransferMeter extends HttpFilter {
  private final ServerMetrics metrics;

  TransferMeter(ServerMetrics metrics) {
    this.metrics = metrics;
  }

  @Override
  protected void doFilter(HttpServletRequest req, HttpServletResponse rsp, FilterChain chain)
      throws IOException, ServletException {
    Object handler = req.getAttribute(ServletUtils.ATTRIBUTE_HANDLER);
    String repository = ServletUtils.getRepository(req).getIdentifier();
    if (GitSmartHttpTools.isInfoRefs(req)) {
      new Transfer(repository, req.getParameter("service"), "advertised", List.of()).noteIn(req);
      chain.doFilter(req, rsp);
      return;
    }
    Timer.Sample sample = Timer.start(metrics.registry());
    boolean answered = false;
    try {
      chain.doFilter(req, rsp);
      answered = rsp.getStatus() < HttpServletResponse.SC_BAD_REQUEST;
    } finally {
      if (handler instanceof ObservedReceivePack push) {
        String result = push.outcome().name().toLowerCase(Locale.ROOT);
        sample.stop(timer("jgits3.push", "Pushes by result", result));
        new Transfer(repository, GitSmartHttpTools.RECEIVE_PACK, result, push.commands())
            .noteIn(req);
      } else {
        String result = result((LimitedUploadPack) handler, answered);
        sample.stop(timer("jgits3.fetch", "Fetches by result", result));
        new Transfer(repository, GitSmartHttpTools.UPLOAD_PACK, result, List.of()).noteIn(req);
      }
    }
  }

  private Timer timer(String name, String description, String result) {
    return metrics.timer(name, description, Tags.of("result", result));
  }

  private static String result(LimitedUploadPack fetch, boolean answered) {
    if (!answered || fetch.isRefused()) {
      return "failed";
    }
    return fetch.getStatistics() == null ? "negotiated" : "ok";
  }
}
