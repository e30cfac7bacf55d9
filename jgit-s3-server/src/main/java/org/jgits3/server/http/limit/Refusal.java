// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.http.limit;

import jakarta.servlet.http.HttpServletResponse;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.io.QuietException;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;

/**
 * Refusal of a request, with a status and a one-line message for the user.
 *
 * <p>Unchecked, because JGit's filters would wrap a checked exception into a packet that Git
 * clients do not show for an error status. Quiet, because Jetty need not log what is logged where
 * it is made, or by {@link RefusalFilter}.
 */
public final class Refusal extends RuntimeException implements QuietException {
  /**
   * Value of the Retry-After header, in seconds; an exhausted resource may be free again at any
   * time.
   */
  static final int RETRY_AFTER = 1;

  private final int status;

  public Refusal(int status, String message, Throwable cause) {
    super(message, cause);
    this.status = status;
  }

  /**
   * Refuses a request that may succeed a little later.
   *
   * @param message name of the exhausted resource
   * @return the refusal
   */
  public static Refusal busy(String message) {
    return new Refusal(
        HttpServletResponse.SC_SERVICE_UNAVAILABLE,
        "the server is busy: " + message + ", try again",
        null);
  }

  int status() {
    return status;
  }

  /** Answers a request that has not reached the servlets, as {@link RefusalFilter} does others. */
  public void write(Response response, Callback callback) {
    if (status == HttpServletResponse.SC_SERVICE_UNAVAILABLE) {
      response.getHeaders().put(HttpHeader.RETRY_AFTER, RETRY_AFTER);
    }
    OneLineAnswer.write(response, status, getMessage(), callback);
  }
}
