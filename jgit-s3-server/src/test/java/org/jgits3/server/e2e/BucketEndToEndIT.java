// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.e2e;

import java.io.IOException;
import java.nio.file.Path;
import org.jgits3.server.e2e.process.ServedStore;
import org.jgits3.testing.RandomSeed;
import org.jgits3.testing.S3Servers;

/** Real Git on a store in an S3 bucket. */
class BucketEndToEndIT extends GitEndToEndContract {
  @Override
  ServedStore openStore(Path scratch) throws IOException {
    return ServedStore.bucket(S3Servers.require(), scratch);
  }

  @Override
  int part() {
    return RandomSeed.count(super.part(), 1);
  }
}
