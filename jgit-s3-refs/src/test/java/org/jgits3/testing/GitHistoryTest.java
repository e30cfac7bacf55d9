// SPDX-License-Identifier: Apache-2.0
package org.jgits3.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The generated history holds what the tests that use it rely on. */
class GitHistoryTest {
  private static final long SEED = 20_261_120;

  @Test
  void history_has_merges_deep_trees_both_kinds_of_tags_and_special_files(@TempDir Path scratch)
      throws IOException {
    GitClient bare = GitHistory.small(SEED).importInto(GitClient.in(scratch), "small.git");
    GitAssertions.assertIntact(bare);
    assertThat(bare.run("rev-list", "--all", "--count")).isEqualTo("60");
    assertThat(bare.run("rev-list", "--all", "--merges", "--count")).isNotEqualTo("0");
    assertThat(bare.run("for-each-ref", "--format=%(objecttype)", "refs/tags").lines())
        .hasSize(20)
        .contains("tag", "commit");
    assertThat(bare.run("-c", "core.quotePath=false", "ls-tree", "-r", "main").lines())
        .anyMatch(line -> line.startsWith("100755"))
        .anyMatch(line -> line.startsWith("120000"))
        .anyMatch(line -> line.chars().filter(c -> c == '/').count() > 12)
        .anyMatch(line -> line.chars().anyMatch(c -> c > 127));
    assertThat(bare.run("for-each-ref", "--format=%(refname)"))
        .matches(refs -> refs.chars().anyMatch(c -> c > 127));
  }
}
