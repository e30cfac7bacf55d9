// SPDX-License-Identifier: Apache-2.0
package org.jgits3.fleet;

import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import org.jgits3.internal.catalog.RepositoryCatalog;
import org.jgits3.internal.fork.ForkTestCase;
import org.jgits3.manifest.RepositoryName;
import org.junit.jupiter.api.Test;

/** A pass of sweeps beside forks. */
class ForkPassTest extends ForkTestCase {
  /** Deletes a template as a process does that found no fork before. */
  private void tombstone(String name) throws IOException {
    new RepositoryCatalog(it.store, Duration.ofMinutes(1))
        .delete(Optional.empty(), RepositoryName.of(name), any -> {});
  }

  @Test
  void K4_a_pass_of_sweeps_looks_for_forks_that_came_after_it_began() throws Exception {
    var pass = new Fleet(it.manager).sweepPass(true);
    it.fork("f");
    tombstone("t");
    for (var id = pass.next(); id.isPresent(); id = pass.next()) {
      it.sweepById(id.get());
    }
    it.isSound("f");
  }
}
