// SPDX-License-Identifier: Apache-2.0
package org.jgits3.stress.load;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.Socket;
import java.net.URI;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import org.jgits3.bench.proxy.TcpProxy;

/**
 * A proxy that passes the beginning of what each client sends, and then nothing more, with both
 * connections open: to the server, the client has vanished without a word.
 */
final class SilentProxy extends TcpProxy {
  /** More than a request for refs has, and less than a push of {@link #PUSH} bytes. */
  private static final int PASSED = 100_000;

  static final int PUSH = 300_000;

  private final Map<Socket, Integer> sent = new ConcurrentHashMap<>();
  private final CountDownLatch end = new CountDownLatch(1);

  private SilentProxy(URI server) throws IOException {
    super(server);
  }

  static SilentProxy start(URI server) throws IOException {
    SilentProxy proxy = new SilentProxy(server);
    proxy.start();
    return proxy;
  }

  @Override
  protected void passes(Socket client, boolean fromClient, int bytes) throws IOException {
    if (fromClient && sent.merge(client, bytes, Integer::sum) > PASSED) {
      try {
        end.await();
      } catch (InterruptedException e) {
        throw new InterruptedIOException();
      }
    }
  }

  @Override
  public void close() throws IOException {
    end.countDown();
    super.close();
  }
}
