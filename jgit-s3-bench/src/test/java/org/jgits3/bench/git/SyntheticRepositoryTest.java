// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.git;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SyntheticRepositoryTest {
  private static final long BYTES = 2_000_000;

  @TempDir private Path scratch;
  private GitClient git;

  @BeforeEach
  void client() throws Exception {
    git = GitClient.in(scratch.resolve("home"));
  }

  private Path generated(String name) throws Exception {
    Path repository = scratch.resolve(name);
    SyntheticRepository.generate(git, repository, BYTES);
    return repository;
  }

  @Test
  void a_repository_is_sound_collected_and_as_large_as_was_asked() throws Exception {
    Path repository = generated("r.git");
    git.run(repository, "fsck", "--full", "--strict", "--no-progress");
    assertThat(SyntheticRepository.packSize(repository)).isBetween(BYTES, 2 * BYTES);
    assertThat(git.run(repository, "count-objects", "-v"))
        .contains("count: 0\n", "packs: 1\n", "garbage: 0\n");
    assertThat(repository.resolve("objects/pack"))
        .isDirectoryContaining(file -> file.toString().endsWith(".bitmap"));
  }

  @Test
  void the_same_repository_is_made_everywhere() throws Exception {
    String refs = git.run(generated("one.git"), "for-each-ref");
    assertThat(git.run(generated("two.git"), "for-each-ref")).isEqualTo(refs).contains("refs/tags");
  }

  @Test
  void what_was_begun_is_begun_again_and_what_is_there_is_used() throws Exception {
    Files.createDirectories(scratch.resolve("r.git.unfinished/objects/pack"));
    Path repository = generated("r.git");
    Path mark = Files.createFile(repository.resolve("mark"));
    assertThat(generated("r.git").resolve("mark")).isEqualTo(mark).exists();
  }
}
