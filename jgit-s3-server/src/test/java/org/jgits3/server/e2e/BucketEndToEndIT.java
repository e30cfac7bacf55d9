// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.e2e;

import java.io.IOException;
import java.nio.file.Path;
import org.jgits3.server.e2e.process.ServedStore;
import org.jgits3.testing.S3Servers;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Real Git on a store in an S3 bucket. */
class BucketEndToEndIT extends GitEndToEndContract {
  @Override
  ServedStore openStore(Path scratch) throws IOException {
    return ServedStore.bucket(S3Servers.require(), scratch);
  }

  @Test
  @Tag("long") // a directory has it, and LargePushIT has large packs
  @Override
  void history_of_thousands_of_commits_and_tags_and_large_files_comes_back_as_it_went() {
    super.history_of_thousands_of_commits_and_tags_and_large_files_comes_back_as_it_went();
  }
}
