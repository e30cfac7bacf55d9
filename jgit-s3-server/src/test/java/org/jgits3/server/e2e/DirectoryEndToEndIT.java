// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.e2e;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Path;
import org.jgits3.server.e2e.process.ServedStore;
import org.junit.jupiter.api.BeforeAll;

/** Real Git on a store in a local directory; left out if a bucket has the same in a brief run. */
class DirectoryEndToEndIT extends GitEndToEndContract {
  @BeforeAll
  static void is_not_what_a_bucket_has_already() {
    assumeTrue(EachStoreContract.kinds().contains(EachStoreContract.Kind.DIRECTORY));
  }

  @Override
  ServedStore openStore(Path scratch) throws IOException {
    return ServedStore.directory(scratch);
  }
}
