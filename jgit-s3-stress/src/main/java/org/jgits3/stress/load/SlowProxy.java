// SPDX-License-Identifier: Apache-2.0
package org.jgits3.stress.load;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.Socket;
import java.net.URI;
import java.util.concurrent.TimeUnit;
import org.jgits3.bench.proxy.TcpProxy;

/** A proxy that passes a few kB a second. */
final class SlowProxy extends TcpProxy {
  private static final int BYTES_PER_SECOND = 4 << 10;

  private SlowProxy(URI server) throws IOException {
    super(server);
  }

  static SlowProxy start(URI server) throws IOException {
    SlowProxy proxy = new SlowProxy(server);
    proxy.start();
    return proxy;
  }

  @Override
  protected void passes(Socket client, boolean fromClient, int bytes) throws IOException {
    try {
      TimeUnit.MILLISECONDS.sleep(bytes * 1000L / BYTES_PER_SECOND);
    } catch (InterruptedException e) {
      throw new InterruptedIOException();
    }
  }
}
