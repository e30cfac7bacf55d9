// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench;

/**
 * The command line or the environment asks for what cannot be done. The program prints the message
 * as one line and ends with exit code 2.
 */
public final class WrongUsageException extends RuntimeException {
  /**
   * Refuses to measure.
   *
   * @param message one line: what is wrong, and what to do
   */
  public WrongUsageException(String message) {
    super(message);
  }
}
