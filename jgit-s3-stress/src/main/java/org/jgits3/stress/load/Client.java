// SPDX-License-Identifier: Apache-2.0
package org.jgits3.stress.load;

import java.io.IOException;

/** A client that does one operation after the other. Used by one thread at a time. */
interface Client {
  /**
   * Does the next operation, and repeats it as long as the server says that it is busy.
   *
   * @throws IOException if it fails
   */
  void step() throws IOException, InterruptedException;
}
