// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.http;

import org.eclipse.jetty.ee10.servlet.ErrorHandler;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;

/** Error pages of one line of plain text, which Git clients print, for every method. */
final class OneLineErrorHandler extends ErrorHandler {
  private static final String TYPE = "text/plain;charset=utf-8";

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
    write(response, line(code, cause == null ? message : null), callback);
  }

  /**
   * Writes the body of a response whose status is set.
   *
   * @param line the body, with a line feed at its end
   */
  static void write(Response response, String line, Callback callback) {
    response.getHeaders().put(HttpHeader.CONTENT_TYPE, TYPE);
    Content.Sink.write(response, true, line, callback);
  }

  private static String line(int code, String message) {
    String text = message == null ? HttpStatus.getMessage(code) : message;
    return text.replaceAll("\\p{Cntrl}+", " ").strip() + "\n";
  }
}
