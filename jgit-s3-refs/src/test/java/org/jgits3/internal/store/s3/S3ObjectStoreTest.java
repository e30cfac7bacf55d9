// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.store.s3;

import java.io.IOException;
import org.jgits3.store.ObjectStore;
import org.jgits3.store.ObjectStoreContract;
import org.jgits3.store.StoreLocation;
import org.jgits3.testing.S3Server;
import org.jgits3.testing.S3Servers;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

/** {@link S3ObjectStore} keeps the contract, under a prefix of a bucket on a real server. */
@Tag("s3")
class S3ObjectStoreTest extends ObjectStoreContract {
  static S3Server server;
  static StoreLocation.Bucket location;

  @BeforeAll
  static void create_bucket() {
    server = S3Servers.require();
    location = new StoreLocation.Bucket(server.newBucket().bucket(), "some/prefix");
  }

  @Override
  protected ObjectStore open() throws IOException {
    return server.open(location);
  }

  @Override
  protected boolean bindsVersionsToBytes() {
    return !server.product().equals("VERSITYGW");
  }

  @Override
  protected boolean listsUploads() {
    return !server.product().equals("MinIO");
  }
}
