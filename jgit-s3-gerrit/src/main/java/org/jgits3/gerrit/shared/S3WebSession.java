// SPDX-License-Identifier: Apache-2.0
package org.jgits3.gerrit.shared;

import com.google.gerrit.extensions.annotations.RootRelative;
import com.google.gerrit.httpd.CacheBasedWebSession;
import com.google.gerrit.httpd.WebSessionManagerFactory;
import com.google.gerrit.server.AnonymousUser;
import com.google.gerrit.server.IdentifiedUser;
import com.google.gerrit.server.account.AccountCache;
import com.google.gerrit.server.config.AuthConfig;
import com.google.inject.Inject;
import com.google.inject.Provider;
import java.util.Arrays;
import javax.servlet.http.Cookie;
import javax.servlet.http.HttpServletRequest;
import javax.servlet.http.HttpServletResponse;

/** Web session of a request, which any Gerrit on the store may have begun. */
public class S3WebSession extends CacheBasedWebSession {
  private final HttpServletRequest request;
  private final StoredSessions sessions;

  @Inject
  S3WebSession(
      @RootRelative Provider<HttpServletRequest> request,
      @RootRelative Provider<HttpServletResponse> response,
      WebSessionManagerFactory managers,
      StoredSessions sessions,
      AuthConfig auth,
      Provider<AnonymousUser> anonymous,
      IdentifiedUser.RequestFactory identified,
      AccountCache accounts) {
    super(
        request.get(),
        response.get(),
        managers.create(new SessionOfRequest(sessions, request.get().getRemoteAddr())),
        auth,
        anonymous,
        identified,
        accounts);
    this.request = request.get();
    this.sessions = sessions;
  }

  /** Ends the session, even one that another node can parse and this one cannot. */
  @Override
  public void logout() {
    if (isSignedIn()) {
      super.logout();
    } else if (request.getCookies() != null) {
      Arrays.stream(request.getCookies())
          .filter(cookie -> cookie.getName().equals(ACCOUNT_COOKIE))
          .map(Cookie::getValue)
          .forEach(cookie -> sessions.end(cookie, request.getRemoteAddr()));
    }
  }
}
