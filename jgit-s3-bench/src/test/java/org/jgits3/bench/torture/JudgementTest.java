// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.torture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import org.eclipse.jgit.lib.Config;
import org.jgits3.S3RepositoryManager;
import org.jgits3.S3Settings;
import org.jgits3.bench.git.GitClient;
import org.jgits3.bench.robust.InterceptedStore;
import org.jgits3.manifest.Manifest;
import org.jgits3.manifest.RepositoryState;
import org.jgits3.manifest.UnknownOutcomeException;
import org.jgits3.store.ObjectStore;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Judges stores that hold what no run may leave behind. */
class JudgementTest {
  private static final Path ROOT = Path.of("").toAbsolutePath().getParent();
  private static final String TARGET = "repos/n3.git/manifest";

  @TempDir private Path directory;

  private S3Settings settings() throws Exception {
    Config config = new Config();
    config.setString("s3", null, "store", "file:" + directory.resolve("store"));
    config.setString("s3", null, "commitDeadline", "1 s");
    return S3Settings.from(config, "test");
  }

  /** Ends a rename before the new name is bound, then forgets that the name was reserved. */
  private void leaveEndlessRename(S3RepositoryManager manager) throws Exception {
    ObjectStore failing =
        InterceptedStore.of(
            manager.store(),
            (request, args) -> {
              if (request.equals("putIf")
                  && args[0].equals(TARGET)
                  && Manifest.decode(TARGET, (byte[]) args[1]).state()
                      instanceof RepositoryState.Active) {
                throw new IOException("lost");
              }
            });
    S3RepositoryManager other = new S3RepositoryManager(failing, settings());
    other.createRepository("n1").close();
    assertThatThrownBy(() -> other.rename("n1", "n3")).isInstanceOf(UnknownOutcomeException.class);
    Files.delete(directory.resolve("store").resolve(TARGET));
  }

  @Test
  void rename_that_cannot_be_finished_is_lost_and_ends_no_judgement() throws Exception {
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
      leaveEndlessRename(manager);

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
          .anyMatch(line -> line.startsWith("lost: n1 cannot be finished to be renamed: "))
          .anyMatch(line -> line.startsWith("lost: n1: ") && line.contains("being renamed"));
    }
  }
}
