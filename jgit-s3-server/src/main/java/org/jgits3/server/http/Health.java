// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.http;

import java.io.IOException;

/** Check of the ability of the server to do its work. */
interface Health {
  /**
   * Checks now.
   *
   * @throws IOException if the server cannot do its work; the message is one line with the reason
   */
  void check() throws IOException;
}
