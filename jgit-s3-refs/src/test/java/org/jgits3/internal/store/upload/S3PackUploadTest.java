// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.store.upload;

import java.io.IOException;
import java.util.Map;
import org.jgits3.store.ObjectStore;
import org.jgits3.store.StoreLocation;
import org.jgits3.testing.S3Server;
import org.jgits3.testing.S3Servers;

/** {@link PackUpload} to a bucket on a real server. */
class S3PackUploadTest extends PackUploadContract {
  private final S3Server server = S3Servers.require();
  private final StoreLocation.Bucket location = server.newBucket();

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
    return server.open(location);
  }
}
