// SPDX-License-Identifier: Apache-2.0
package org.jgits3.testing;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

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
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A proxy on 127.0.0.1 that forwards bytes to a server, and breaks the connection instead of
 * passing on the answers to some requests: the server has done its work and nobody learns of it.
 */
public final class ReplyDroppingProxy implements AutoCloseable {
  private final URI target;
  private final String victim;
  private final AtomicInteger drops;
  private final AtomicInteger dropped = new AtomicInteger();
  private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final ServerSocket listener;

  /**
   * Starts a proxy.
   *
   * @param target server that requests are forwarded to
   * @param victim regular expression that matches the request line of requests that get no answer
   * @param drops how many of them get none; later ones are answered
   */
  public ReplyDroppingProxy(URI target, String victim, int drops) {
    this.target = target;
    this.victim = victim;
    this.drops = new AtomicInteger(drops);
    try {
      listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    threads.execute(this::accept);
  }

  /**
   * Where it listens.
   *
   * @return its address
   */
  public URI endpoint() {
    return URI.create("http://127.0.0.1:" + listener.getLocalPort());
  }

  /**
   * How many answers were not passed on.
   *
   * @return their number until now
   */
  public int dropped() {
    return dropped.get();
  }

  private void accept() {
    try {
      while (true) {
        Socket client = listener.accept();
        Socket server = new Socket(target.getHost(), target.getPort());
        sockets.add(client);
        sockets.add(server);
        Connection connection = new Connection(client, server);
        threads.execute(connection::forwardRequests);
        threads.execute(connection::forwardAnswers);
      }
    } catch (IOException e) {
      close();
    }
  }

  /** One connection of a client; {@code armed} is written by the thread that sees the requests. */
  private final class Connection {
    private final Socket client;
    private final Socket server;
    private volatile boolean armed;

    Connection(Socket client, Socket server) {
      this.client = client;
      this.server = server;
    }

    void forwardRequests() {
      byte[] buffer = new byte[1 << 16];
      try (client;
          server) {
        InputStream in = client.getInputStream();
        OutputStream out = server.getOutputStream();
        for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
          String line = new String(buffer, 0, n, ISO_8859_1).lines().findFirst().orElse("");
          if (line.matches(victim) && drops.getAndDecrement() > 0) {
            armed = true;
          }
          out.write(buffer, 0, n);
        }
      } catch (IOException e) {
        sockets.remove(client);
        sockets.remove(server);
      }
    }

    void forwardAnswers() {
      byte[] buffer = new byte[1 << 16];
      try (client;
          server) {
        InputStream in = server.getInputStream();
        OutputStream out = client.getOutputStream();
        for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
          if (armed) {
            dropped.incrementAndGet();
            return;
          }
          out.write(buffer, 0, n);
        }
      } catch (IOException e) {
        sockets.remove(client);
        sockets.remove(server);
      }
    }
  }

  @Override
  public void close() {
    threads.shutdownNow();
    try {
      listener.close();
      for (Socket socket : sockets) {
        socket.close();
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
