// SPDX-License-Identifier: Apache-2.0
package org.jgits3.gerrit.e2e;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/** A proxy that makes a store slow: it holds up each request by the time of its kind. */
final class SlowProxy implements AutoCloseable {
  static final int READ_MILLIS = 12;
  static final int WRITE_MILLIS = 25;

  private final ServerSocket listening;
  private final int target;

  SlowProxy(int target) throws IOException {
    this.target = target;
    this.listening = new ServerSocket(0, 100, InetAddress.getLoopbackAddress());
    Thread.startVirtualThread(this::accept);
  }

  int port() {
    return listening.getLocalPort();
  }

  private void accept() {
    while (!listening.isClosed()) {
      try {
        Socket client = listening.accept();
        Socket server = new Socket(InetAddress.getLoopbackAddress(), target);
        client.setTcpNoDelay(true);
        server.setTcpNoDelay(true);
        Thread.startVirtualThread(() -> copy(client, server, true));
        Thread.startVirtualThread(() -> copy(server, client, false));
      } catch (IOException e) {
        return; // closed, or the store is gone
      }
    }
  }

  private static void copy(Socket from, Socket to, boolean delays) {
    byte[] buffer = new byte[1 << 16];
    try (from;
        to) {
      InputStream in = from.getInputStream();
      OutputStream out = to.getOutputStream();
      for (int n = in.read(buffer); n > 0; n = in.read(buffer)) {
        if (delays) {
          Thread.sleep(delay(buffer, n));
        }
        out.write(buffer, 0, n);
      }
    } catch (IOException e) {
      return; // one of the two has closed
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Requests of the SDK are not pipelined, so one begins where a read begins, or not at all. */
  private static int delay(byte[] buffer, int n) {
    String begin = new String(buffer, 0, Math.min(n, 5), StandardCharsets.US_ASCII);
    if (begin.startsWith("GET ") || begin.startsWith("HEAD ")) {
      return READ_MILLIS;
    }
    boolean writes = begin.startsWith("PUT ") || begin.startsWith("POST ") || begin.equals("DELET");
    return writes ? WRITE_MILLIS : 0;
  }

  @Override
  public void close() throws IOException {
    listening.close();
  }
}
