// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.e2e.process;

import java.io.Closeable;
import java.io.IOException;
import java.net.URI;

/** A server of a store, on a free port of the loopback interface. */
public interface RunningServer extends Closeable {
  /** Address for clients. */
  URI uri();

  /** URL of a repository. */
  default String url(String repository) {
    return uri() + repository + ".git";
  }

  /** Ends the server if it still runs. */
  @Override
  void close() throws IOException;
}
