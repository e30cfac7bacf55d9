// SPDX-License-Identifier: Apache-2.0
package org.jgits3.maintenance;

import java.io.IOException;
import org.eclipse.jgit.annotations.Nullable;
import org.jgits3.internal.store.Stores;
import org.jgits3.store.ObjectStore;
import org.jgits3.store.StoreLocation;
import org.jgits3.testing.S3Server;
import org.jgits3.testing.S3Servers;
import org.junit.jupiter.api.BeforeAll;

/** The interleavings on a real S3 server. */
class S3GarbageInterleavingTest extends GarbageInterleavingContract {
  private static S3Server server;

  @Nullable private StoreLocation.Bucket bucket;

  @BeforeAll
  static void find_server() {
    server = S3Servers.require();
  }

  @Override
  protected ObjectStore store() throws IOException {
    if (bucket == null) {
      bucket = server.newBucket();
    }
    return Stores.open(bucket, server.options());
  }
}
