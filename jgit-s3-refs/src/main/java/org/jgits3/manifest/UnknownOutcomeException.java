// SPDX-License-Identifier: Apache-2.0
package org.jgits3.manifest;

import java.io.IOException;

/**
 * A commit whose outcome could not be found out before the deadline: it may have been applied, may
 * be applied later, or never. The caller must report neither success nor failure, must not delete
 * anything the commit may refer to, and should look at the repository before it tries again.
 */
public final class UnknownOutcomeException extends IOException {
  /**
   * An undecided commit.
   *
   * @param message one line that names the manifest and what to look up
   * @param cause last failure seen, or null
   */
  public UnknownOutcomeException(String message, Throwable cause) {
    super(message, cause);
  }
}
