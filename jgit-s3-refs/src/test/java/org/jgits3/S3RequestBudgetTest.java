// SPDX-License-Identifier: Apache-2.0
package org.jgits3;

import java.io.IOException;
import org.jgits3.internal.store.Stores;
import org.jgits3.store.ObjectStore;
import org.jgits3.store.StoreLocation;
import org.jgits3.testing.S3Server;
import org.jgits3.testing.S3Servers;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;

/** The budgets on a real S3 server. */
class S3RequestBudgetTest extends RequestBudgetContract {
  private static S3Server server;

  private StoreLocation.Bucket bucket;

  @BeforeAll
  static void find_server() {
    server = S3Servers.require();
  }

  @BeforeEach
  @Override
  void create() throws Exception {
    bucket = server.newBucket();
    super.create();
  }

  @Override
  protected ObjectStore store() throws IOException {
    return Stores.open(bucket, server.options());
  }
}
