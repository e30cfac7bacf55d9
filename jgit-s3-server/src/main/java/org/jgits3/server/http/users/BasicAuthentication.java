// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.http.users;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.security.AuthenticationState;
import org.eclipse.jetty.security.UserIdentity;
import org.eclipse.jetty.security.UserPrincipal;
import org.eclipse.jetty.security.authentication.LoginAuthenticator.UserAuthenticationSucceeded;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.jgits3.internal.net.ClientNetwork;
import org.jgits3.server.http.limit.OneLineAnswer;
import org.jgits3.server.http.limit.Refusal;

/**
 * Lets only the users of a file pass, by HTTP Basic authentication. A request that waits for the
 * check of its password holds no thread, and no place of those behind this handler. The
 * authenticated user is the request's remote user.
 */
public final class BasicAuthentication extends Handler.Wrapper {
  private static final String SCHEME = "Basic ";
  private static final String REFUSED = BasicAuthentication.class.getName() + ".refused";

  private final UsersFile users;

  /**
   * Creates a handler.
   *
   * @param users users that pass
   * @param next handler of their requests
   */
  public BasicAuthentication(UsersFile users, Handler next) {
    super(next);
    this.users = users;
  }

  /**
   * Name that a request was refused with.
   *
   * @param request request that was answered
   * @return the name that the client sent with a wrong password; empty if it sent none or passed
   */
  public static Optional<String> refused(Request request) {
    return Optional.ofNullable((String) request.getAttribute(REFUSED));
  }

  /** Name and password of a request. */
  private record Credentials(String user, String password) {}

  @Override
  public boolean handle(Request request, Response response, Callback callback) throws Exception {
    Optional<Credentials> sent = credentials(request.getHeaders().get(HttpHeader.AUTHORIZATION));
    if (sent.isEmpty()) {
      challenge(response, callback);
      return true;
    }
    String user = sent.get().user();
    CompletableFuture<Boolean> accepted =
        users.accepts(
            ClientNetwork.of(Request.getRemoteAddr(request)), user, sent.get().password());
    if (accepted.isDone() && !accepted.isCompletedExceptionally() && accepted.join()) {
      return super.handle(as(user, request), response, callback);
    }
    var unused =
        accepted.whenCompleteAsync(
            (right, failure) -> {
              if (failure != null) {
                fail(failure, request, response, callback);
              } else if (right) {
                pass(as(user, request), response, callback);
              } else {
                request.setAttribute(REFUSED, user);
                challenge(response, callback);
              }
            },
            request.getComponents().getExecutor());
    return true;
  }

  private void pass(Request request, Response response, Callback callback) {
    try {
      if (!super.handle(request, response, callback)) {
        Response.writeError(request, response, callback, HttpStatus.NOT_FOUND_404);
      }
    } catch (Exception e) {
      Response.writeError(request, response, callback, e);
    }
  }

  private static void fail(
      Throwable failure, Request request, Response response, Callback callback) {
    if (failure instanceof Refusal refusal) {
      refusal.write(response, callback);
    } else {
      Response.writeError(request, response, callback, failure);
    }
  }

  private static void challenge(Response response, Callback callback) {
    response
        .getHeaders()
        .put(HttpHeader.WWW_AUTHENTICATE, SCHEME + "realm=\"jgit-s3\", charset=\"UTF-8\"");
    OneLineAnswer.write(
        response, HttpStatus.UNAUTHORIZED_401, "name and password, please", callback);
  }

  private static Optional<Credentials> credentials(String header) {
    if (header == null || !header.regionMatches(true, 0, SCHEME, 0, SCHEME.length())) {
      return Optional.empty();
    }
    String pair = decoded(header.substring(SCHEME.length()).strip());
    int colon = pair.indexOf(':');
    return colon <= 0
        ? Optional.empty()
        : Optional.of(new Credentials(pair.substring(0, colon), pair.substring(colon + 1)));
  }

  private static String decoded(String base64) {
    try {
      return new String(Base64.getDecoder().decode(base64), StandardCharsets.UTF_8);
    } catch (IllegalArgumentException e) {
      // Not Base64: treated like a request without credentials.
      return "";
    }
  }

  private static Request as(String user, Request request) {
    UserIdentity identity = UserIdentity.from(null, new UserPrincipal(user, null));
    AuthenticationState.setAuthenticationState(
        request, new UserAuthenticationSucceeded("BASIC", identity));
    return request;
  }
}
