// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.ConnectException;
import java.net.Socket;
import java.net.SocketException;
import java.net.URI;
import java.time.Instant;

/** Connections to a server that has begun to stop. */
public final class RefusedConnections {
  private RefusedConnections() {}

  /** Waits until the server accepts no connection any more. */
  public static void await(URI uri) throws Exception {
    Instant deadline = Instant.now().plusSeconds(300);
    while (Instant.now().isBefore(deadline)) {
      try {
        new Socket(uri.getHost(), uri.getPort()).close();
      } catch (ConnectException e) {
        return;
      } catch (SocketException e) {
        // Reset: it was queued when the server stopped to listen.
        assertThat(e).hasMessageContaining("reset");
      }
    }
    throw new AssertionError("still accepting connections");
  }
}
