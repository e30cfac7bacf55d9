// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.http;

import jakarta.servlet.http.HttpServletResponse;

/**
 * A request that ends with a status and one line for the person behind it.
 *
 * <p>Unchecked, since it passes through JGit's filters, which would wrap a checked one into a
 * packet that Git clients do not show when the status says failure.
 */
final class Refusal extends RuntimeException {
  private final int status;

  Refusal(int status, String message, Throwable cause) {
    super(message, cause);
    this.status = status;
  }

  /**
   * A refusal of what would be served a little later.
   *
   * @param message what there is too much of
   * @return the refusal
   */
  static Refusal busy(String message) {
    return new Refusal(
        HttpServletResponse.SC_SERVICE_UNAVAILABLE,
        "the server is busy: " + message + ", try again",
        null);
  }

  int status() {
    return status;
  }
}
