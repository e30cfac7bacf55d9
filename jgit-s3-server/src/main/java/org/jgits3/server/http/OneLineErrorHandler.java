// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.http;

import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.handler.ErrorHandler;
import org.eclipse.jetty.util.Callback;
import org.jgits3.server.http.limit.OneLineAnswer;

/** Error pages of one line of plain text, for every method. */
final class OneLineErrorHandler extends ErrorHandler {
  @Override
  public boolean errorPageForMethod(String method) {
    return true;
  }

  @Override
  protected void generateResponse(
      Request request,
      Response response,
      int code,
      String message,
      Throwable cause,
      Callback callback) {
    boolean told = message != null && cause == null;
    OneLineAnswer.write(response, code, told ? message : HttpStatus.getMessage(code), callback);
  }
}
