// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.http;

import java.io.IOException;
import org.jgits3.S3RepositoryManager;

/**
 * Reports a server as healthy while its store answers one request, for an object that need not
 * exist.
 */
final class StoreHealth implements Health {
  private static final String KEY = "healthz";

  private final S3RepositoryManager manager;

  StoreHealth(S3RepositoryManager manager) {
    this.manager = manager;
  }

  @Override
  public void check() throws IOException {
    var unused = manager.store().stat(KEY);
  }
}
