// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.http.limit;

import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;

/** Answers of one line of plain text, which Git clients print. */
public final class OneLineAnswer {
  private static final String TYPE = "text/plain;charset=utf-8";

  private OneLineAnswer() {}

  /**
   * Answers a request.
   *
   * @param status status of the answer
   * @param line its body; control characters become spaces
   */
  public static void write(Response response, int status, String line, Callback callback) {
    response.setStatus(status);
    response.getHeaders().put(HttpHeader.CONTENT_TYPE, TYPE);
    String printable = line.replaceAll("\\p{Cntrl}+", " ").strip();
    Content.Sink.write(response, true, printable + "\n", callback);
  }
}
