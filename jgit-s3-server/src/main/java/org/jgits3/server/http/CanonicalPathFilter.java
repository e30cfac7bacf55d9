// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.http;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpFilter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.regex.Pattern;

/**
 * Lets only canonical paths pass, so that a repository has one address, and a proxy that guards
 * paths sees the one that is served.
 */
final class CanonicalPathFilter extends HttpFilter {
  /** Matches parameters, empty and dot segments, and encoded slashes. */
  private static final Pattern ALIAS =
      Pattern.compile(";|//|%2f|/(\\.|%2e){1,2}(/|$)", Pattern.CASE_INSENSITIVE);

  @Override
  protected void doFilter(HttpServletRequest req, HttpServletResponse rsp, FilterChain chain)
      throws IOException, ServletException {
    if (ALIAS.matcher(req.getRequestURI()).find()) {
      rsp.sendError(HttpServletResponse.SC_NOT_FOUND, "no such path");
      return;
    }
    chain.doFilter(req, rsp);
  }
}
