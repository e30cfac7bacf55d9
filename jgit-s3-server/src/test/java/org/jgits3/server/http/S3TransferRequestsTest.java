// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.http;

import java.io.IOException;
import org.jgits3.store.ObjectStore;
import org.jgits3.store.StoreLocation;
import org.jgits3.testing.S3Server;
import org.jgits3.testing.S3Servers;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

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

  @Test
  @Tag("long") // the requests are those of a directory
  @Override
  void a_cold_clone_after_300_small_pushes_is_four_requests_and_one_for_each_of_30_packs_at_most()
      throws Exception {
    super
        .a_cold_clone_after_300_small_pushes_is_four_requests_and_one_for_each_of_30_packs_at_most();
  }

  @Override
  protected ObjectStore store() throws IOException {
    return s3.open(bucket);
  }
}
