// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.http;

import java.io.IOException;

/** Whether the server can do its work. */
interface Health {
  /**
   * Checks now.
   *
   * @throws IOException with one line that says what is wrong
   */
  void check() throws IOException;
}
