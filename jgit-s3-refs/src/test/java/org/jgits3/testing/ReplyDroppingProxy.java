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
import java.util.concurrent.atomic.AtomicLong;

/**
 * A proxy on 127.0.0.1 that forwards bytes to a server, and breaks the connection instead of
 * passing on the answers to some requests, or all of them: the server has done its work and the
 * client does not learn of it, or not of all.
 */
public final class ReplyDroppingProxy implements AutoCloseable {
  private final URI target;
  private final String victim;
  private final AtomicInteger drops;
  private final long passed;
  private final AtomicInteger matched = new AtomicInteger();
  private final AtomicInteger dropped = new AtomicInteger();
  private final AtomicLong passedOn = new AtomicLong();
  private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final ServerSocket listener;
  private volatile Runnable beforeBreaks = () -> {};

  /**
   * Starts a proxy.
   *
   * @param target server that requests are forwarded to
   * @param victim regular expression that matches the request line of requests that get no answer
   * @param drops how many of them get none; later ones are answered
   */
  public ReplyDroppingProxy(URI target, String victim, int drops) {
    this(target, victim, drops, 0);
  }

  /**
   * Starts a proxy that breaks answers off.
   *
   * @param target server that requests are forwarded to
   * @param victim regular expression that matches the request line of requests whose answer breaks
   * @param drops how many of them break; later ones are answered
   * @param passed bytes of the answer, with its headers, that are passed on before
   */
  public ReplyDroppingProxy(URI target, String victim, int drops, long passed) {
    this.target = target;
    this.victim = victim;
    this.drops = new AtomicInteger(drops);
    this.passed = passed;
    try {
      listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    threads.execute(this::accept);
  }

  /**
   * Address of the proxy.
   *
   * @return its address
   */
  public URI endpoint() {
    return URI.create("http://127.0.0.1:" + listener.getLocalPort());
  }

  /**
   * Sets what to do before a connection breaks, while the client has not learned of it.
   *
   * @param action what to do
   */
  public void beforeBreaks(Runnable action) {
    beforeBreaks = action;
  }

  /**
   * Number of answers that were not passed on.
   *
   * @return their number until now
   */
  public int dropped() {
    return dropped.get();
  }

  /**
   * Number of requests that were to be answered not at all, or in part.
   *
   * @return number of those that were forwarded until now, also if they were answered
   */
  public int matched() {
    return matched.get();
  }

  /**
   * Number of bytes of answers that were passed on, with their headers.
   *
   * @return their number until now
   */
  public long passedOn() {
    return passedOn.get();
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

  /** One connection of a client. */
  private final class Connection {
    private final Socket client;
    private final Socket server;

    /** Bytes until it breaks; set by the thread that sees the requests. */
    private final AtomicLong left = new AtomicLong(Long.MAX_VALUE);

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
          if (line.matches(victim)) {
            matched.incrementAndGet();
            if (drops.getAndDecrement() > 0) {
              left.set(passed);
            }
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
          int sent = (int) Math.min(n, left.get());
          // Before the client has them: it may look at the count, or send its next request.
          passedOn.addAndGet(sent);
          boolean breaks = left.addAndGet(-sent) == 0;
          out.write(buffer, 0, sent);
          if (breaks) {
            beforeBreaks.run();
            dropped.incrementAndGet();
            return;
          }
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
