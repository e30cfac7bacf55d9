// SPDX-License-Identifier: Apache-2.0
package org.jgits3.stress.robust;

import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jgits3.bench.proxy.TcpProxy;

/**
 * A proxy that holds back the ends of large requests until a number of clients have come so far, or
 * the first has waited long enough, so that all end together.
 */
final class HoldingProxy extends TcpProxy {
  private final long bytes;
  private final long waitMillis;
  private final CountDownLatch missing;
  private final Map<Socket, AtomicLong> sent = new ConcurrentHashMap<>();

  private HoldingProxy(URI server, int clients, long bytes, Duration wait) throws IOException {
    super(server);
    this.bytes = bytes;
    this.waitMillis = wait.toMillis();
    this.missing = new CountDownLatch(clients);
  }

  /**
   * Starts one.
   *
   * @param server the server
   * @param clients how many are to come
   * @param bytes how much of each is passed on before
   * @param wait longest time to wait for others
   */
  static HoldingProxy start(URI server, int clients, long bytes, Duration wait) throws IOException {
    HoldingProxy proxy = new HoldingProxy(server, clients, bytes, wait);
    proxy.start();
    return proxy;
  }

  /** URL of a repository. */
  String url(String repository) {
    return uri() + "/" + repository + ".git";
  }

  @Override
  protected boolean admits(Socket client) {
    sent.put(client, new AtomicLong());
    return true;
  }

  @Override
  protected void passes(Socket client, boolean fromClient, int n) {
    long now = fromClient ? sent.get(client).addAndGet(n) : 0;
    if (now < bytes || now - n >= bytes) {
      return;
    }
    missing.countDown();
    try {
      if (!missing.await(waitMillis, TimeUnit.MILLISECONDS)) {
        while (missing.getCount() > 0) {
          missing.countDown();
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
