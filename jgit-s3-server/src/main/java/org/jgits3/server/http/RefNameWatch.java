// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.http;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import org.jgits3.S3Repository;

/**
 * The lines of a fetch. Asks the store as a line passes that names a ref, down to which the client
 * wants no history, so that the ref is looked up as it is now. Used by one thread.
 */
final class RefNameWatch extends FilterInputStream {
  /** How such a line begins, after its length; no other line has this after a digit. */
  private static final String NAMES_REF = "deepen-not ";

  private final S3Repository repository;
  private int before;
  private int matched;

  /**
   * Watches a request.
   *
   * @param request the lines
   * @param repository handle that was not validated yet
   */
  RefNameWatch(InputStream request, S3Repository repository) {
    super(request);
    this.repository = repository;
  }

  @Override
  public int read() throws IOException {
    int b = super.read();
    if (b >= 0) {
      passed(b);
    }
    return b;
  }

  @Override
  public int read(byte[] dst, int offset, int length) throws IOException {
    int n = super.read(dst, offset, length);
    for (int i = 0; i < n; i++) {
      passed(dst[offset + i]);
    }
    return n;
  }

  private void passed(int b) throws IOException {
    if (b == NAMES_REF.charAt(matched)) {
      matched = matched > 0 || Character.digit(before, 16) >= 0 ? matched + 1 : 0;
    } else {
      matched = b == NAMES_REF.charAt(0) && Character.digit(before, 16) >= 0 ? 1 : 0;
    }
    before = b;
    if (matched == NAMES_REF.length()) {
      matched = 0;
      if (!repository.isValidated()) {
        repository.validateUnlessRecent();
      }
    }
  }

  @Override
  public boolean markSupported() {
    return false;
  }
}
