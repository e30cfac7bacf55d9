// SPDX-License-Identifier: Apache-2.0
package org.jgits3.store;

import java.io.IOException;

/**
 * Thrown if a store lacks a property without which repositories are unsafe in it. Use another
 * store; {@code jgit-s3 doctor} tells more.
 */
public final class UnsafeStoreException extends IOException {
  private final String check;

  /**
   * A refusal of a store.
   *
   * @param location the store
   * @param check name of the required check that failed, such as {@code stale-if-match}; the worst
   *     of several
   * @param detail one line that says what was seen, its consequence, and what else failed
   */
  public UnsafeStoreException(String location, String check, String detail) {
    super(location + ": refused: check '" + check + "' failed: " + detail);
    this.check = check;
  }

  /**
   * Name of the required check that failed, the worst of several.
   *
   * @return its stable name
   */
  public String check() {
    return check;
  }
}
