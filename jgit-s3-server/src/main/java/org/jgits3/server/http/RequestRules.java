// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.http;

import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.jgits3.server.http.limit.OneLineAnswer;

/**
 * Lets only requests pass whose method Git clients and monitors use, and which are addressed to
 * this machine, or to a name that the administrator gave, if others are refused. A browser sends
 * the host name from the URL, whatever address it resolves to. So no page of another site reaches a
 * server without users.
 */
final class RequestRules extends Handler.Wrapper {
  private static final List<String> READS = List.of("GET", "HEAD");
  private static final List<String> ALL = List.of("GET", "HEAD", "POST");

  private static final Pattern LOCAL =
      Pattern.compile("localhost|127(\\.\\d{1,3}){3}|\\[?(::1|0:0:0:0:0:0:0:1)]?");

  private final List<String> methods;

  /** Names besides those of this machine; empty if any name will do. */
  private final Optional<Set<String>> names;

  private RequestRules(List<String> methods, Optional<Set<String>> names, Handler next) {
    super(next);
    this.methods = methods;
    this.names = names;
  }

  /** Lets requests to any name pass. */
  static RequestRules anyName(Handler next) {
    return new RequestRules(ALL, Optional.empty(), next);
  }

  /** Lets requests to any name pass that only read. */
  static RequestRules reads(Handler next) {
    return new RequestRules(READS, Optional.empty(), next);
  }

  /**
   * Lets requests to this machine pass.
   *
   * @param more further names of the server
   */
  static RequestRules localNames(Set<String> more, Handler next) {
    Set<String> names = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);
    names.addAll(more);
    return new RequestRules(ALL, Optional.of(names), next);
  }

  @Override
  public boolean handle(Request request, Response response, Callback callback) throws Exception {
    if (!methods.contains(request.getMethod())) {
      response.getHeaders().put(HttpHeader.ALLOW, String.join(", ", methods));
      OneLineAnswer.write(
          response, HttpStatus.METHOD_NOT_ALLOWED_405, "no such method here", callback);
      return true;
    }
    String host = Request.getServerName(request);
    if (!isName(host)) {
      OneLineAnswer.write(
          response,
          HttpStatus.MISDIRECTED_REQUEST_421,
          "this server is not " + host + ": start it with --host " + host + ", or with --users",
          callback);
      return true;
    }
    return super.handle(request, response, callback);
  }

  private boolean isName(String host) {
    return names.isEmpty()
        || LOCAL.matcher(host.toLowerCase(Locale.ROOT)).matches()
        || names.get().contains(host);
  }
}
