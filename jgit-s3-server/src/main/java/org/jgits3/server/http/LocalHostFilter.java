// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.http;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpFilter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.eclipse.jetty.http.HttpStatus;

/**
 * Lets only requests pass that are addressed to this machine, or to a name that the administrator
 * gave. A browser sends the host name from the URL, whatever address it resolves to. So no page of
 * another site reaches a server without users.
 */
final class LocalHostFilter extends HttpFilter {
  private static final Pattern LOCAL =
      Pattern.compile("localhost|127(\\.\\d{1,3}){3}|\\[?(::1|0:0:0:0:0:0:0:1)]?");

  private final Set<String> names = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);

  /**
   * Lets requests to this machine pass.
   *
   * @param more further names of the server
   */
  LocalHostFilter(Set<String> more) {
    names.addAll(more);
  }

  @Override
  protected void doFilter(HttpServletRequest req, HttpServletResponse rsp, FilterChain chain)
      throws IOException, ServletException {
    String host = req.getServerName();
    if (!LOCAL.matcher(host.toLowerCase(Locale.ROOT)).matches() && !names.contains(host)) {
      rsp.sendError(
          HttpStatus.MISDIRECTED_REQUEST_421,
          "this server is not " + host + ": start it with --host " + host + ", or with --users");
      return;
    }
    chain.doFilter(req, rsp);
  }
}
