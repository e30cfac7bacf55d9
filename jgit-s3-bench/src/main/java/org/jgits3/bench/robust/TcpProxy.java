// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.robust;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jgits3.bench.process.Leftovers;

/**
 * Passes connections to a port of 127.0.0.1 on to a server. The threads end with their connections,
 * these with {@link #close}.
 */
abstract class TcpProxy implements Closeable {
  private static final int BACKLOG = 200;

  private final URI server;
  private final int port;
  private final Set<Socket> open = ConcurrentHashMap.newKeySet();
  private volatile ServerSocket listener;
  private volatile boolean closed;

  TcpProxy(URI server) throws IOException {
    this.server = server;
    this.listener = listen(0);
    this.port = listener.getLocalPort();
    Leftovers.add(this);
  }

  private static ServerSocket listen(int port) throws IOException {
    ServerSocket socket = new ServerSocket();
    socket.setReuseAddress(true);
    socket.bind(
        new InetSocketAddress(InetAddress.getByAddress(new byte[] {127, 0, 0, 1}), port), BACKLOG);
    return socket;
  }

  /** Starts to accept connections. */
  final void start() {
    inBackground(this::accept);
  }

  /** Address for clients. */
  final URI uri() {
    return URI.create("http://127.0.0.1:" + port);
  }

  /**
   * Tests whether a new connection is passed on. An implementation that says no has answered it, or
   * leaves it to be closed.
   */
  abstract boolean admits(Socket client) throws IOException;

  /** Bytes are about to be passed on; may take as long as they are to be held back. */
  abstract void passes(Socket client, boolean fromClient, int bytes) throws IOException;

  /** Waits until the port is to be open again, after {@link #refuse}. */
  abstract void awaitRecovery();

  /** Closes the port, and all connections. */
  final void refuse() throws IOException {
    listener.close();
    closeConnections();
  }

  final void closeConnections() throws IOException {
    for (Socket socket : open) {
      socket.close();
    }
  }

  private void accept() throws IOException {
    while (!closed) {
      try {
        connected(listener.accept());
      } catch (IOException e) {
        if (listener.isClosed() && !closed) {
          awaitRecovery();
          listener = listen(port);
        }
      }
    }
    listener.close();
  }

  private void connected(Socket client) {
    open.add(client);
    inBackground(
        () -> {
          try (client) {
            if (admits(client)) {
              forward(client);
            }
          } finally {
            open.remove(client);
          }
        });
  }

  private void forward(Socket client) throws IOException {
    try (Socket upstream = new Socket(server.getHost(), server.getPort())) {
      open.add(upstream);
      try {
        inBackground(() -> pump(client, upstream, client, false));
        pump(client, client, upstream, true);
      } finally {
        open.remove(upstream);
      }
    }
  }

  private void pump(Socket client, Socket from, Socket to, boolean fromClient) throws IOException {
    byte[] buffer = new byte[1 << 16];
    try (from;
        to) {
      InputStream in = from.getInputStream();
      OutputStream out = to.getOutputStream();
      for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
        passes(client, fromClient, n);
        out.write(buffer, 0, n);
      }
    }
  }

  /** Work that may end because a connection does. */
  @FunctionalInterface
  interface Work {
    void run() throws IOException;
  }

  /**
   * Does something in a thread of its own. A connection that breaks is the business of its ends.
   */
  static void inBackground(Work work) {
    Thread thread =
        new Thread(
            () -> {
              try {
                work.run();
              } catch (IOException connectionEnded) {
                return;
              }
            },
            "proxy");
    thread.setDaemon(true);
    thread.start();
  }

  @Override
  public void close() throws IOException {
    closed = true;
    refuse();
    Leftovers.remove(this);
  }
}
