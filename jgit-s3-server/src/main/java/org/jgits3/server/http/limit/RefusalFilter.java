// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.http.limit;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpFilter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers a {@link Refusal} with its status and line, which Git shows as {@code remote: ...}, and
 * logs it if something failed.
 */
public final class RefusalFilter extends HttpFilter {
  private static final Logger LOG = LoggerFactory.getLogger(RefusalFilter.class);

  @Override
  protected void doFilter(HttpServletRequest req, HttpServletResponse rsp, FilterChain chain)
      throws IOException, ServletException {
    try {
      chain.doFilter(req, rsp);
    } catch (Refusal refusal) {
      if (rsp.isCommitted()) {
        if (refusal.getCause() != null) {
          LOG.warn("{} {} was cut off", req.getMethod(), req.getRequestURI(), refusal);
        }
        throw refusal;
      }
      rsp.reset();
      if (refusal.status() == HttpServletResponse.SC_SERVICE_UNAVAILABLE) {
        rsp.setIntHeader("Retry-After", Refusal.RETRY_AFTER);
      }
      if (refusal.status() >= HttpServletResponse.SC_INTERNAL_SERVER_ERROR
          && refusal.getCause() != null) {
        LOG.warn("{} {}", req.getMethod(), req.getRequestURI(), refusal);
      }
      rsp.sendError(refusal.status(), refusal.getMessage());
    }
  }
}
