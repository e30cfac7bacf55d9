// SPDX-License-Identifier: Apache-2.0
package org.jgits3.gerrit.e2e.tools;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;

/**
 * A proxy that makes a store slow: it holds up each request by the time of its kind. It can cut its
 * clients off.
 */
public final class SlowProxy implements AutoCloseable {
  public static final int READ_MILLIS = 12;
  public static final int WRITE_MILLIS = 25;

  private final int port = Programs.freePort();
  private final int target;
  private final int readMillis;
  private final int writeMillis;
  private final Set<Socket> clients = ConcurrentHashMap.newKeySet();
  private ServerSocket listening;

  /** Closed while nothing passes. */
  private volatile CountDownLatch gate = new CountDownLatch(0);

  public SlowProxy(int target, int readMillis, int writeMillis) throws IOException {
    this.target = target;
    this.readMillis = readMillis;
    this.writeMillis = writeMillis;
    listen();
  }

  /** A proxy as fast as the store. */
  public static SlowProxy passing(int target) throws IOException {
    return new SlowProxy(target, 0, 0);
  }

  /** A proxy in front of a store far away. */
  public static SlowProxy far(int target) throws IOException {
    return new SlowProxy(target, READ_MILLIS, WRITE_MILLIS);
  }

  public int port() {
    return port;
  }

  /** Leaves requests without an answer; they reach the store when it passes them again. */
  public void silence() {
    gate = new CountDownLatch(1);
  }

  /** Ends all connections, and refuses new ones. */
  public void refuse() throws IOException {
    close();
    for (Socket client : clients) {
      client.close();
    }
  }

  /** Serves again. */
  public void pass() throws IOException {
    gate.countDown();
    if (listening.isClosed()) {
      listen();
    }
  }

  private void listen() throws IOException {
    ServerSocket socket = new ServerSocket(port, 100, InetAddress.getLoopbackAddress());
    listening = socket;
    Thread.startVirtualThread(() -> accept(socket));
  }

  private void accept(ServerSocket socket) {
    while (!socket.isClosed()) {
      try {
        Socket client = socket.accept();
        clients.add(client);
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

  private void copy(Socket from, Socket to, boolean delays) {
    byte[] buffer = new byte[1 << 16];
    try (from;
        to) {
      InputStream in = from.getInputStream();
      OutputStream out = to.getOutputStream();
      for (int n = in.read(buffer); n > 0; n = in.read(buffer)) {
        if (delays) {
          Thread.sleep(delay(buffer, n));
        }
        gate.await();
        out.write(buffer, 0, n);
      }
    } catch (IOException e) {
      return; // one of the two has closed
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      clients.remove(from);
    }
  }

  /** Requests of the SDK are not pipelined, so one begins where a read begins, or not at all. */
  private int delay(byte[] buffer, int n) {
    String begin = new String(buffer, 0, Math.min(n, 5), StandardCharsets.US_ASCII);
    if (begin.startsWith("GET ") || begin.startsWith("HEAD ")) {
      return readMillis;
    }
    boolean writes = begin.startsWith("PUT ") || begin.startsWith("POST ") || begin.equals("DELET");
    return writes ? writeMillis : 0;
  }

  @Override
  public void close() throws IOException {
    listening.close();
  }
}
