// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.e2e;

import java.io.IOException;
import java.nio.file.Path;
import org.jgits3.server.e2e.process.ServedStore;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Real Git on a store in a local directory. */
class DirectoryEndToEndIT extends GitEndToEndContract {
  @Override
  ServedStore openStore(Path scratch) throws IOException {
    return ServedStore.directory(scratch);
  }

  @Test
  @Tag("long") // a bucket has it
  @Override
  void one_of_twenty_concurrent_pushes_to_a_branch_wins() throws Exception {
    super.one_of_twenty_concurrent_pushes_to_a_branch_wins();
  }

  @ParameterizedTest
  @EnumSource
  @Tag("long") // a bucket has it
  @Override
  void push_that_loses_its_server_half_way_is_whole_or_has_not_been(End end) throws Exception {
    super.push_that_loses_its_server_half_way_is_whole_or_has_not_been(end);
  }
}
