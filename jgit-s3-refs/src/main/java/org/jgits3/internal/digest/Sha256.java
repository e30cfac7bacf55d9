// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.digest;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/** SHA-256. */
public final class Sha256 {
  private Sha256() {}

  /**
   * Begins a digest.
   *
   * @return a digest of no bytes
   */
  public static MessageDigest begin() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }
}
