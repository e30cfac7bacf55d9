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
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A proxy on 127.0.0.1 in front of a server that goes out of order: connections break, and a number
 * of new ones are closed without an answer.
 */
public final class OutageProxy implements AutoCloseable {
  private final URI target;
  private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
  private final AtomicInteger refusals = new AtomicInteger();
  private final AtomicInteger refused = new AtomicInteger();
  private final AtomicLong untilOutage = new AtomicLong(Long.MAX_VALUE);
  private volatile int nextRefusals;
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final ServerSocket listener;

  /**
   * Starts a proxy.
   *
   * @param target server that bytes are forwarded to
   */
  public OutageProxy(URI target) {
    this.target = target;
    try {
      listener = new ServerSocket(0, 200, InetAddress.getLoopbackAddress());
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
   * Begins an outage.
   *
   * @param connections connections that are closed at once until it ends
   */
  public void fail(int connections) {
    refusals.set(connections);
    sockets.forEach(OutageProxy::close);
    sockets.clear();
  }

  /**
   * Begins an outage when more bytes have gone through, either way.
   *
   * @param bytes how many more
   * @param connections connections that are closed at once until it ends
   */
  public void failAfter(long bytes, int connections) {
    nextRefusals = connections;
    untilOutage.set(bytes);
  }

  /** Ends an outage. */
  public void recover() {
    refusals.set(0);
  }

  /**
   * Connections that were closed at once.
   *
   * @return their number until now
   */
  public int refused() {
    return refused.get();
  }

  private void accept() {
    try {
      while (true) {
        Socket client = listener.accept();
        if (refusals.getAndUpdate(n -> Math.max(0, n - 1)) > 0) {
          refused.incrementAndGet();
          close(client);
        } else {
          Socket server = new Socket(target.getHost(), target.getPort());
          sockets.add(client);
          sockets.add(server);
          threads.execute(() -> forward(client, server));
          threads.execute(() -> forward(server, client));
        }
      }
    } catch (IOException e) {
      close();
    }
  }

  private void forward(Socket from, Socket to) {
    byte[] buffer = new byte[1 << 16];
    try (from;
        to;
        InputStream in = from.getInputStream();
        OutputStream out = to.getOutputStream()) {
      for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
        long left = untilOutage.addAndGet(-n);
        if (left < 0 && left + n >= 0) {
          fail(nextRefusals);
        }
        out.write(buffer, 0, n);
      }
    } catch (IOException e) {
      sockets.remove(from);
      sockets.remove(to);
    }
  }

  private static void close(Socket socket) {
    try {
      socket.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    threads.shutdownNow();
    try {
      listener.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    sockets.forEach(OutageProxy::close);
  }
}
