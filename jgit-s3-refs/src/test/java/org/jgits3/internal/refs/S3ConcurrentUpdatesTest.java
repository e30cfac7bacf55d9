// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.refs;

import java.io.IOException;
import org.jgits3.store.ObjectStore;
import org.jgits3.testing.TestBucket;

/** Updates of two processes on a real S3 server. */
class S3ConcurrentUpdatesTest extends ConcurrentUpdatesContract {
  private final TestBucket bucket = new TestBucket();

  @Override
  protected ObjectStore store() throws IOException {
    return bucket.open();
  }
}
