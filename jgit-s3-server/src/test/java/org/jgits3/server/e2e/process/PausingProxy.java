// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.e2e.process;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jgits3.internal.concurrent.DaemonThreads;

/**
 * Passes connections on to a server, and holds back what clients send, or what the server does,
 * from a number of bytes on, so that a test can act while a request is half way through.
 */
public final class PausingProxy implements Closeable {
  private static final long DEADLINE_SECONDS = 300;

  private final ExecutorService threads =
      Executors.newCachedThreadPool(DaemonThreads.named("pausing-proxy"));
  private final ServerSocket listener;
  private final InetAddress address;
  private final URI server;
  private final boolean clientsHeld;
  private final String marker;
  private final AtomicLong untilPause;

  /** True once a client has sent the marker, so that bytes count. */
  private volatile boolean counting;

  private final CountDownLatch paused = new CountDownLatch(1);
  private final CountDownLatch resumed = new CountDownLatch(1);

  private PausingProxy(
      InetAddress address, URI server, boolean clientsHeld, String marker, long untilPause)
      throws IOException {
    this.listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    this.address = address;
    this.server = server;
    this.clientsHeld = clientsHeld;
    this.marker = marker;
    this.counting = marker.isEmpty();
    this.untilPause = new AtomicLong(untilPause);
  }

  /** A proxy in front of a server that pauses after so many bytes from clients. */
  public static PausingProxy before(URI server, long bytes) throws IOException {
    return start(server, true, "", bytes);
  }

  /** A proxy in front of a server that pauses after so many bytes from the server. */
  public static PausingProxy after(URI server, long bytes) throws IOException {
    return start(server, false, "", bytes);
  }

  /** A proxy that pauses when clients have sent so much more after they began a request. */
  public static PausingProxy sinceRequest(URI server, String path, long bytes) throws IOException {
    return start(server, true, path, bytes);
  }

  /** A proxy that connects to the server from a loopback address, and never pauses. */
  public static PausingProxy from(InetAddress address, URI server) throws IOException {
    return start(new PausingProxy(address, server, true, "", Long.MAX_VALUE));
  }

  private static PausingProxy start(URI server, boolean clientsHeld, String marker, long bytes)
      throws IOException {
    InetAddress address = InetAddress.getLoopbackAddress();
    return start(new PausingProxy(address, server, clientsHeld, marker, bytes));
  }

  private static PausingProxy start(PausingProxy proxy) {
    proxy.threads.execute(proxy::accept);
    return proxy;
  }

  public String url(String repository) {
    return "http://127.0.0.1:" + listener.getLocalPort() + "/" + repository + ".git";
  }

  /** Waits until something is held back. */
  public void awaitPause() throws InterruptedException {
    if (!paused.await(DEADLINE_SECONDS, TimeUnit.SECONDS)) {
      throw new AssertionError("not enough was sent to be held back");
    }
  }

  /** Waits until a client is held back; false if the process that is the client ends before. */
  public boolean awaitPause(Process client) throws InterruptedException {
    while (client.isAlive()) {
      if (paused.await(50, TimeUnit.MILLISECONDS)) {
        return true;
      }
    }
    return paused.getCount() == 0;
  }

  /** Address for clients. */
  public URI uri() {
    return URI.create("http://127.0.0.1:" + listener.getLocalPort());
  }

  /** Lets everything pass from now on. */
  public void resume() {
    resumed.countDown();
  }

  @Override
  public void close() throws IOException {
    resume();
    listener.close();
  }

  private void accept() {
    try {
      while (true) {
        Socket client = listener.accept();
        Socket upstream = new Socket(server.getHost(), server.getPort(), address, 0);
        threads.execute(() -> pump(client, upstream, clientsHeld));
        threads.execute(() -> pump(upstream, client, !clientsHeld));
      }
    } catch (IOException closed) {
      threads.shutdown();
    }
  }

  private void pump(Socket from, Socket to, boolean counted) {
    try (from;
        to) {
      InputStream in = from.getInputStream();
      OutputStream out = to.getOutputStream();
      byte[] buffer = new byte[8192];
      for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
        if (counted && counts(buffer, n) && untilPause.addAndGet(-n) < 0) {
          paused.countDown();
          awaitResume();
        }
        out.write(buffer, 0, n);
      }
    } catch (IOException connectionEnded) {
      return; // both peers see it
    }
  }

  private boolean counts(byte[] sent, int n) {
    if (!counting && new String(sent, 0, n, ISO_8859_1).contains(marker)) {
      counting = true;
    }
    return counting;
  }

  private void awaitResume() {
    try {
      resumed.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
