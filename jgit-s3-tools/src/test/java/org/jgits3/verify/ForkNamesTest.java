// SPDX-License-Identifier: Apache-2.0
package org.jgits3.verify;

import static org.assertj.core.api.Assertions.assertThat;
import static org.jgits3.internal.fork.ForkFixture.SILENT;

import java.nio.file.Files;
import java.time.Duration;
import java.util.Optional;
import org.jgits3.internal.catalog.RepositoryCatalog;
import org.jgits3.internal.commit.StoredManifest;
import org.jgits3.internal.fork.ForkTestCase;
import org.jgits3.manifest.Manifest;
import org.jgits3.manifest.RepositoryName;
import org.junit.jupiter.api.Test;

/** The check of names in a store with a template and forks. */
class ForkNamesTest extends ForkTestCase {
  @Test
  void K3_deleted_template_with_a_fork_is_no_contradiction() throws Exception {
    it.fork("f");
    new RepositoryCatalog(it.store, Duration.ofMinutes(1))
        .delete(Optional.empty(), RepositoryName.of("t"), any -> {});
    assertThat(new NameCheck(it.manager.store()).run(false)).isEmpty();
  }

  @Test
  void fork_whose_template_has_no_manifest_is_told_until_it_is_detached() throws Exception {
    it.fork("f");
    Manifest template = it.manifest("t");
    Files.delete(it.directory.resolve(StoredManifest.key(it.store, "t")));
    for (boolean repair : new boolean[] {false, true, false}) {
      assertThat(new NameCheck(it.manager.store()).run(repair))
          .containsExactly(
              new NameCheck.Finding(
                  RepositoryName.of("f").pointerKey(),
                  "is a fork of the template "
                      + template.repositoryId()
                      + ", of which there is no manifest; copy that, or detach the fork by gc f"
                      + " --detach",
                  false));
    }
    it.manager.detach("f", SILENT);
    assertThat(new NameCheck(it.manager.store()).run(false)).isEmpty();
  }
}
