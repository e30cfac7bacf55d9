// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.http.limit;

import jakarta.servlet.http.HttpServletResponse;

/**
 * Refusal of a request, with a status and a one-line message for the user.
 *
 * <p>Unchecked, because JGit's filters would wrap a checked exception into a packet that Git
 * clients do not show for an error status.
 */
public final class Refusal extends RuntimeException {
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
}
