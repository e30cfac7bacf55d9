// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.http.users;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpFilter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Optional;

/**
 * Lets only the users of a file pass, by HTTP Basic authentication. One path is open to all,
 * because load balancers have no password. The authenticated user is the request's remote user.
 */
public final class BasicAuthentication extends HttpFilter {
  private static final String SCHEME = "Basic ";

  private final UsersFile users;
  private final String openPath;

  /**
   * Creates a filter.
   *
   * @param users users that pass
   * @param openPath path that is open to all
   */
  public BasicAuthentication(UsersFile users, String openPath) {
    this.users = users;
    this.openPath = openPath;
  }

  @Override
  protected void doFilter(HttpServletRequest req, HttpServletResponse rsp, FilterChain chain)
      throws IOException, ServletException {
    if (req.getServletPath().equals(openPath)) {
      chain.doFilter(req, rsp);
      return;
    }
    Optional<String> user = user(req.getHeader("Authorization"));
    if (user.isEmpty()) {
      rsp.setHeader("WWW-Authenticate", SCHEME + "realm=\"jgit-s3\", charset=\"UTF-8\"");
      rsp.sendError(HttpServletResponse.SC_UNAUTHORIZED, "name and password, please");
      return;
    }
    chain.doFilter(as(user.get(), req), rsp);
  }

  private Optional<String> user(String header) {
    if (header == null || !header.regionMatches(true, 0, SCHEME, 0, SCHEME.length())) {
      return Optional.empty();
    }
    String pair = decoded(header.substring(SCHEME.length()).strip());
    int colon = pair.indexOf(':');
    if (colon <= 0) {
      return Optional.empty();
    }
    String name = pair.substring(0, colon);
    return users.accepts(name, pair.substring(colon + 1)) ? Optional.of(name) : Optional.empty();
  }

  private static String decoded(String base64) {
    try {
      return new String(Base64.getDecoder().decode(base64), StandardCharsets.UTF_8);
    } catch (IllegalArgumentException e) {
      // Not Base64: treated like a request without credentials.
      return "";
    }
  }

  private static HttpServletRequest as(String user, HttpServletRequest req) {
    return new HttpServletRequestWrapper(req) {
      @Override
      public String getRemoteUser() {
        return user;
      }

      @Override
      public String getAuthType() {
        return BASIC_AUTH;
      }
    };
  }
}
