// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.refs.transaction;

import java.io.IOException;

/**
 * Others changed refs on which a transaction was decided, or folded them into tables that are not
 * in memory. The caller reads the refs and tries again, outside the commit loop, because all other
 * changes of the repository would wait for it there.
 */
final class OvertakenException extends IOException {
  private static final long serialVersionUID = 1;

  /**
   * Creates it.
   *
   * @param what what was changed
   */
  OvertakenException(String what) {
    super(what + " was changed meanwhile");
  }
}
