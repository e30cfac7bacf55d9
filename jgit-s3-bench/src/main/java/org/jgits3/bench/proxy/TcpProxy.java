// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.proxy;

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
public abstract class TcpProxy implements Closeable {
  private static final int BACKLOG = 200;

  private final URI server;
  private final int port;
  private final Set<Socket> open = ConcurrentHashMap.newKeySet();
  private volatile ServerSocket listener;
  private volatile boolean closed;

  /**
   * Opens a port.
   *
   * @param server where connections are passed on to
   * @throws IOException if there is no port
   */
  protected TcpProxy(URI server) throws IOException {
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
  protected final void start() {
    inBackground(this::accept);
  }

  /**
   * Address for clients.
   *
   * @return its address, without a slash at the end
   */
  public final URI uri() {
    return URI.create("http://127.0.0.1:" + port);
  }

  /**
   * Tests whether a new connection is passed on, as all are unless this is overridden. An
   * implementation that says no has answered it, or leaves it to be closed.
   *
   * @param client the connection
   * @return true if it is
   * @throws IOException if it breaks
   */
  protected boolean admits(Socket client) throws IOException {
    return true;
  }

  /**
   * Bytes are about to be passed on; may take as long as they are to be held back.
   *
   * @param client the connection
   * @param fromClient whether the client has sent them
   * @param bytes their number
   * @throws IOException to break the connection
   */
  protected void passes(Socket client, boolean fromClient, int bytes) throws IOException {}

  /** Waits until the port is to be open again, after {@link #refuse}. */
  protected void awaitRecovery() {}

  /**
   * Closes the port, and all connections.
   *
   * @throws IOException if one cannot be closed
   */
  protected final void refuse() throws IOException {
    listener.close();
    closeConnections();
  }

  /**
   * Closes all connections.
   *
   * @throws IOException if one cannot be closed
   */
  protected final void closeConnections() throws IOException {
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
              connect(client);
            }
          } finally {
            open.remove(client);
          }
        });
  }

  private void connect(Socket client) throws IOException {
    try (Socket upstream = new Socket(server.getHost(), server.getPort())) {
      open.add(upstream);
      try {
        forward(client, upstream);
      } finally {
        open.remove(upstream);
      }
    }
  }

  /**
   * Passes on what comes until the connection ends: bytes as they come, unless this is overridden.
   *
   * @param client the connection
   * @param upstream that to the server
   * @throws IOException if one of them breaks
   */
  protected void forward(Socket client, Socket upstream) throws IOException {
    inBackground(() -> pump(client, upstream, client, false));
    pump(client, client, upstream, true);
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
  private interface Work {
    void run() throws IOException;
  }

  /**
   * Does something in a thread of its own. A connection that breaks is the business of its ends.
   */
  private static void inBackground(Work work) {
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
