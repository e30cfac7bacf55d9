// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.hot;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.SplittableRandom;
import org.eclipse.jgit.lib.ObjectId;
import org.jgits3.bench.git.GitClient;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SmallCommitTest {
  @TempDir private Path directory;

  @Test
  void git_accepts_the_packs_of_a_history() throws Exception {
    GitClient git = GitClient.in(directory.resolve("home"));
    Path repository = Files.createDirectory(directory.resolve("r.git"));
    git.run(repository, "init", "-q", "--bare");
    SplittableRandom random = new SplittableRandom(1);
    SmallCommit first = SmallCommit.on(ObjectId.zeroId(), random);
    SmallCommit second = SmallCommit.on(first.id(), random);
    for (SmallCommit each : new SmallCommit[] {first, second}) {
      git.run(repository, stdin -> stdin.write(each.pack()), "unpack-objects", "-q", "--strict");
    }
    git.run(repository, "update-ref", "refs/heads/main", second.id().name());

    assertThat(git.run(repository, "rev-list", "main").lines())
        .containsExactly(second.id().name(), first.id().name());
    assertThat(git.run(repository, "cat-file", "-s", "main:file")).isEqualTo("200");
    assertThat(git.run(repository, "fsck", "--full", "--strict")).isEmpty();
  }
}
