// SPDX-License-Identifier: Apache-2.0
package org.jgits3.stress.torture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import org.eclipse.jgit.lib.Config;
import org.jgits3.S3RepositoryManager;
import org.jgits3.S3Settings;
import org.jgits3.bench.git.GitClient;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Judges stores that hold what no run may leave behind. */
class JudgementTest {
  private static final Path ROOT = Path.of("").toAbsolutePath().getParent();

  @TempDir private Path directory;

  private S3Settings settings() throws Exception {
    Config config = new Config();
    config.setString("s3", null, "store", "file:" + directory.resolve("store"));
    return S3Settings.from(config, "test");
  }

  @Test
  void name_that_leads_nowhere_is_lost_and_ends_no_judgement() throws Exception {
    assumeTrue(Files.isExecutable(ROOT.resolve("target/tools/history-check")), "no history-check");
    Path histories = Files.createDirectory(directory.resolve("histories"));
    try (S3RepositoryManager manager = S3RepositoryManager.open(settings());
        FaultProxy proxy = FaultProxy.start(URI.create("http://127.0.0.1:1"), 1);
        Workers workers =
            new Workers(
                (worker, name) -> {
                  throw new AssertionError("no worker");
                },
                directory)) {
      manager.createRepository("n1").close();
      Files.delete(directory.resolve("store/names/n1.git"));

      Verdict verdict =
          new Judgement(
                  manager,
                  histories,
                  HistoryCheck.build(ROOT),
                  GitClient.in(directory.resolve("home")),
                  "http://127.0.0.1:1/")
              .verdict(proxy, workers);

      assertThat(verdict.passed()).isFalse();
      assertThat(verdict.report())
          .anyMatch(line -> line.startsWith("lost: names/n1.git: the repository "));
    }
  }
}
