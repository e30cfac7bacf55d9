// SPDX-License-Identifier: Apache-2.0
package org.jgits3.maintenance.interleaving;

import java.io.IOException;
import org.jgits3.store.ObjectStore;
import org.jgits3.testing.TestBucket;

/** The interleavings on a real S3 server. */
class S3GarbageInterleavingTest extends GarbageInterleavingContract {
  private final TestBucket bucket = new TestBucket();

  @Override
  protected ObjectStore store() throws IOException {
    return bucket.open();
  }
}
