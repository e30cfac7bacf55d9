// SPDX-License-Identifier: Apache-2.0
package org.jgits3.testing;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** A proxy on 127.0.0.1 that forwards bytes to a server, and may do something else with some. */
abstract class ForwardingProxy implements AutoCloseable {
  private final URI target;
  private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final ServerSocket listener;

  /** Bytes on their way. */
  @FunctionalInterface
  interface Way {
    /** Passes bytes on, or ends the connection by returning false. */
    boolean pass(byte[] buffer, int length, OutputStream to) throws IOException;
  }

  /** Opens a proxy, which begins with {@link #start}. */
  ForwardingProxy(URI target) {
    this.target = target;
    try {
      listener = new ServerSocket(0, 200, InetAddress.getLoopbackAddress());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  final void start() {
    threads.execute(this::accept);
  }

  /**
   * Address of the proxy.
   *
   * @return its address
   */
  public final URI endpoint() {
    return URI.create("http://127.0.0.1:" + listener.getLocalPort());
  }

  /** Tests whether the next connection is closed at once. */
  abstract boolean refuses();

  /** Forwards what both ends of a connection send, by {@link #forward}. */
  abstract void connected(Socket client, Socket server);

  private void accept() {
    try {
      while (true) {
        Socket client = listener.accept();
        if (refuses()) {
          client.close();
        } else {
          Socket server = new Socket(target.getHost(), target.getPort());
          sockets.add(client);
          sockets.add(server);
          connected(client, server);
        }
      }
    } catch (IOException e) {
      close();
    }
  }

  /** Forwards what one end of a connection sends, on a thread of its own. */
  final void forward(Socket from, Socket to, Way way) {
    threads.execute(
        () -> {
          byte[] buffer = new byte[1 << 16];
          try (from;
              to) {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            int n = in.read(buffer);
            while (n >= 0 && way.pass(buffer, n, out)) {
              n = in.read(buffer);
            }
          } catch (IOException e) {
            sockets.remove(from);
            sockets.remove(to);
          }
        });
  }

  /** Breaks all connections. */
  final void breakAll() {
    try {
      for (Socket socket : sockets) {
        socket.close();
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    sockets.clear();
  }

  @Override
  public final void close() {
    threads.shutdownNow();
    try {
      listener.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    breakAll();
  }
}
