// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.http;

import java.io.IOException;
import org.jgits3.store.ObjectStore;
import org.jgits3.store.StoreLocation;
import org.jgits3.testing.S3Server;
import org.jgits3.testing.S3Servers;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;

/** Requests to a real S3 server. */
class S3TransferRequestsTest extends TransferRequestsContract {
  private static S3Server s3;

  private StoreLocation.Bucket bucket;

  @BeforeAll
  static void find_server() {
    s3 = S3Servers.require();
  }

  @BeforeEach
  @Override
  void serve() throws Exception {
    bucket = s3.newBucket();
    super.serve();
  }

  @Override
  protected ObjectStore store() throws IOException {
    return bucket.open(s3.options());
  }
}
