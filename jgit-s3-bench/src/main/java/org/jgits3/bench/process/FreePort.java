// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.process;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Ports for programs that are told where to listen. Linux gives clients, and servers that do not
 * choose, ports from 32768 on: one of these could be another's before the program listens, and a
 * client that tries it could even be connected to itself.
 */
public final class FreePort {
  private static final int LOWEST = 20_000;
  private static final int HIGHEST = 32_000;
  private static final int ATTEMPTS = 100;

  private FreePort() {}

  /** Returns a port of 127.0.0.1 that is free now, and that no other program is given by chance. */
  public static int find() {
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
      int port = ThreadLocalRandom.current().nextInt(LOWEST, HIGHEST);
      try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
        return socket.getLocalPort();
      } catch (IOException e) {
        // in use
      }
    }
    throw new IllegalStateException("no free port from " + LOWEST + " to " + HIGHEST);
  }
}
