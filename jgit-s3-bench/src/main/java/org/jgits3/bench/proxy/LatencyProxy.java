// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.proxy;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.net.Socket;
import java.net.URI;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

/**
 * A proxy on 127.0.0.1 that makes an S3 server as distant as it is in a cloud: each request takes
 * some time more, half of it on the way there and half on the way back. Counts the PUTs. Safe for
 * use by many threads.
 */
public final class LatencyProxy extends TcpProxy {
  private static final int BUFFER = 1 << 16;

  private final Duration write;
  private final Duration read;
  private final LongAdder manifests = new LongAdder();
  private final LongAdder lost = new LongAdder();
  private final LongAdder others = new LongAdder();
  private final LongAdder reads = new LongAdder();

  /**
   * Requests until some moment.
   *
   * @param manifestPuts PUTs of manifests
   * @param lostPuts those of them that another process forestalled
   * @param otherPuts all other PUTs
   * @param reads requests that write nothing
   */
  public record Requests(long manifestPuts, long lostPuts, long otherPuts, long reads) {
    /**
     * Requests since another moment.
     *
     * @param before those until then
     * @return the difference
     */
    public Requests since(Requests before) {
      return new Requests(
          manifestPuts - before.manifestPuts,
          lostPuts - before.lostPuts,
          otherPuts - before.otherPuts,
          reads - before.reads);
    }
  }

  private LatencyProxy(URI server, Duration write, Duration read) throws IOException {
    super(server);
    this.write = write;
    this.read = read;
  }

  /**
   * Starts one.
   *
   * @param server where requests go
   * @param write time that a request takes more if it writes or deletes
   * @param read time that any other takes more
   * @return the proxy, to be closed
   * @throws IOException if there is no port
   */
  public static LatencyProxy start(URI server, Duration write, Duration read) throws IOException {
    LatencyProxy proxy = new LatencyProxy(server, write, read);
    proxy.start();
    return proxy;
  }

  /**
   * Requests answered until now.
   *
   * @return their numbers
   */
  public Requests requests() {
    return new Requests(manifests.sum(), lost.sum(), others.sum(), reads.sum());
  }

  @Override
  protected void forward(Socket client, Socket upstream) throws IOException {
    client.setTcpNoDelay(true);
    upstream.setTcpNoDelay(true);
    InputStream requests = new BufferedInputStream(client.getInputStream(), BUFFER);
    InputStream answers = new BufferedInputStream(upstream.getInputStream(), BUFFER);
    Optional<HttpMessage> next = HttpMessage.readRequest(requests);
    while (next.isPresent()) {
      HttpMessage request = next.get();
      long halfWay = (request.isWrite() ? write : read).toNanos() / 2;
      pause(halfWay);
      request.writeTo(upstream.getOutputStream());
      HttpMessage answer = HttpMessage.readAnswer(answers, request);
      pause(halfWay);
      count(request, answer);
      answer.writeTo(client.getOutputStream());
      next = HttpMessage.readRequest(requests);
    }
  }

  private static void pause(long nanos) throws IOException {
    try {
      TimeUnit.NANOSECONDS.sleep(nanos);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException();
    }
  }

  private void count(HttpMessage request, HttpMessage answer) {
    if (!request.isWrite()) {
      reads.increment();
    } else if (request.method().equals("PUT")) {
      boolean manifest = request.target().split("\\?", 2)[0].endsWith("/manifest");
      (manifest ? manifests : others).increment();
      if (manifest && answer.status() == 412) {
        lost.increment();
      }
    }
  }
}
