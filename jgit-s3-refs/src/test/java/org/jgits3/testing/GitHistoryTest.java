// SPDX-License-Identifier: Apache-2.0
package org.jgits3.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The generated history holds what the tests that use it rely on. */
class GitHistoryTest {
  private static final long SEED = 20_261_120;

  private GitClient git;

  @BeforeEach
  void client(@TempDir Path scratch) throws IOException {
    git = GitClient.in(scratch);
  }

  @Test
  void same_seed_gives_same_objects_and_another_seed_others() {
    String refs = GitHistory.small(SEED).importInto(git, "a.git").run("show-ref");
    assertThat(GitHistory.small(SEED).importInto(git, "b.git").run("show-ref")).isEqualTo(refs);
    assertThat(GitHistory.small(SEED + 1).importInto(git, "c.git").run("show-ref"))
        .isNotEqualTo(refs);
  }

  @Test
  void history_has_merges_deep_trees_both_kinds_of_tags_and_special_files() {
    GitClient bare = GitHistory.small(SEED).importInto(git, "small.git");
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

  @Test
  void fresh_clone_of_an_intact_repository_is_sound() {
    GitClient served = GitHistory.small(SEED).importInto(git, "served.git");
    GitClient clone = GitAssertions.assertSound(git, served.directory().toString());
    assertThat(clone.run("rev-parse", "main")).hasSize(40);
  }
}
