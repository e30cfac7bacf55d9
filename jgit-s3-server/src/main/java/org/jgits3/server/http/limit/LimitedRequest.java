// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.http.limit;

import java.io.IOException;
import java.io.InputStream;
import org.eclipse.jgit.lib.Repository;
import org.eclipse.jgit.transport.ServiceMayNotContinueException;
import org.jgits3.S3Repository;

/**
 * Inflated request of a fetch, limited in length and to the memory that other requests leave. JGit
 * keeps every object id that the request names, and a few bytes of gzip can name millions. Used by
 * one thread.
 */
public final class LimitedRequest extends InputStream {
  /** Step in bytes in which memory is taken; the first step is free. */
  private static final int STEP = 64 << 10;

  private final InputStream request;
  private final Repository repository;
  private final long limit;
  private long count;
  private long allowed = STEP;

  /**
   * Limits a request.
   *
   * @param request inflated request
   * @param repository handle that serves it, and is closed at its end
   * @param limit maximum bytes; 0 for no limit
   */
  public LimitedRequest(InputStream request, Repository repository, long limit) {
    this.request = request;
    this.repository = repository;
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
    while (count > allowed) {
      takeMemory();
      allowed += STEP;
    }
  }

  private void takeMemory() throws ServiceMayNotContinueException {
    try {
      if (repository instanceof S3Repository stored) {
        stored.getObjectDatabase().takeForNames(STEP);
      }
    } catch (IOException e) {
      throw new ServiceMayNotContinueException(e.getMessage(), e);
    }
  }

  @Override
  public void close() throws IOException {
    request.close();
  }
}
