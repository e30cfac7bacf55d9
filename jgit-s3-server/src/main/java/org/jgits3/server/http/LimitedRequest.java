// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.http;

import java.io.IOException;
import java.io.InputStream;
import org.eclipse.jgit.transport.ServiceMayNotContinueException;

/**
 * What a client asks in a fetch, inflated, up to a limit: JGit keeps each object that is named, and
 * a few bytes of gzip can name millions. Used by one thread.
 */
final class LimitedRequest extends InputStream {
  private final InputStream request;
  private final long limit;
  private long count;

  /**
   * Limits a request.
   *
   * @param request inflated
   * @param limit most bytes; 0 for no limit
   */
  LimitedRequest(InputStream request, long limit) {
    this.request = request;
    this.limit = limit > 0 ? limit : Long.MAX_VALUE;
  }

  @Override
  public int read() throws IOException {
    int b = request.read();
    if (b >= 0) {
      passed(1);
    }
    return b;
  }

  @Override
  public int read(byte[] dst, int offset, int length) throws IOException {
    int n = request.read(dst, offset, length);
    if (n > 0) {
      passed(n);
    }
    return n;
  }

  private void passed(int bytes) throws ServiceMayNotContinueException {
    count += bytes;
    if (count > limit) {
      throw new ServiceMayNotContinueException(
          "the request of this fetch is larger than http.maxRequestBuffer of the server, "
              + limit
              + " bytes");
    }
  }

  @Override
  public void close() throws IOException {
    request.close();
  }
}
