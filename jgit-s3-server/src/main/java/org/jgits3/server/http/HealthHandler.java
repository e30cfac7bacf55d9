// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.http;

import java.util.Optional;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.jgits3.server.http.limit.OneLineAnswer;

/**
 * Answers {@code /healthz}, 200 while the process serves requests, and {@code /healthz/store}, 503
 * while the store does not answer. Both need no password, take none of the places for Git requests,
 * and hold no thread.
 */
final class HealthHandler extends Handler.Wrapper {
  static final String PROCESS = "/healthz";
  static final String STORE = "/healthz/store";

  private final Optional<StoreHealth> store;

  /**
   * Creates a handler.
   *
   * @param store the store; empty to leave questions about it to the next handler
   * @param next handler of all other paths
   */
  HealthHandler(Optional<StoreHealth> store, Handler next) {
    super(next);
    this.store = store;
  }

  @Override
  public boolean handle(Request request, Response response, Callback callback) throws Exception {
    String path = request.getHttpURI().getPath();
    if (path.equals(PROCESS)) {
      answer(true, response, callback);
    } else if (path.equals(STORE) && store.isPresent()) {
      var unused = store.get().answers().thenAccept(answers -> answer(answers, response, callback));
    } else {
      return super.handle(request, response, callback);
    }
    return true;
  }

  private static void answer(boolean healthy, Response response, Callback callback) {
    if (healthy) {
      OneLineAnswer.write(response, HttpStatus.OK_200, "ok", callback);
    } else {
      OneLineAnswer.write(
          response, HttpStatus.SERVICE_UNAVAILABLE_503, "the store does not answer", callback);
    }
  }
}
