// SPDX-License-Identifier: Apache-2.0
package org.jgits3.stress.torture;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.SplittableRandom;
import org.eclipse.jgit.lib.Config;
import org.eclipse.jgit.util.SystemReader;
import org.jgits3.S3Repository;
import org.jgits3.S3RepositoryManager;
import org.jgits3.S3Settings;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ShiftedClockTest {
  private static final Duration AHEAD = Duration.ofHours(7);

  @TempDir private Path directory;

  @Test
  void library_has_the_time_of_the_shifted_clock() throws Exception {
    SystemReader machine = SystemReader.getInstance();
    Instant began = Instant.now();
    ShiftedClock.set(AHEAD);
    Config config = new Config();
    config.setString("s3", null, "store", "file:" + directory);
    try (S3RepositoryManager manager = S3RepositoryManager.open(S3Settings.from(config, "test"));
        S3Repository repository = manager.createRepository("r")) {
      new Commits(new SplittableRandom(1)).next(repository, repository.manifest().repositoryId());
      repository.scanForRepoChanges();
      Instant written = Instant.ofEpochMilli(repository.manifest().packs().get(0).lastModified());
      assertThat(written).isAfterOrEqualTo(began.plus(AHEAD).minusMillis(1));
    } finally {
      SystemReader.setInstance(machine);
    }
  }
}
