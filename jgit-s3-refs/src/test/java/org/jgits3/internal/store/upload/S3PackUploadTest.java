// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.store.upload;

import java.io.IOException;
import java.util.Map;
import org.jgits3.internal.store.Stores;
import org.jgits3.store.ObjectStore;
import org.jgits3.store.StoreLocation;
import org.jgits3.testing.S3Server;
import org.jgits3.testing.S3Servers;
import org.junit.jupiter.api.BeforeAll;

/** {@link PackUpload} to a bucket on a real server. */
class S3PackUploadTest extends PackUploadContract {
  private static S3Server server;
  private static StoreLocation.Bucket location;

  @BeforeAll
  static void create_bucket() {
    server = S3Servers.require();
    location = new StoreLocation.Bucket(server.newBucket().bucket(), "some/prefix");
  }

  @Override
  String endpoint() {
    return server.options().endpoint().orElseThrow().toString();
  }

  @Override
  Map<String, String> environment() {
    return server.environment();
  }

  @Override
  ObjectStore openStore() throws IOException {
    return Stores.open(location, server.options());
  }
}
