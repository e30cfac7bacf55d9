// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.eclipse.jgit.lib.Config;
import org.jgits3.S3Repository;
import org.jgits3.S3RepositoryManager;
import org.jgits3.S3Settings;
import org.jgits3.micrometer.StoreMeters;
import org.jgits3.server.http.metrics.ServerMetrics;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RefsMetersTest {
  @Test
  void what_refs_cost_is_shown(@TempDir Path directory) throws Exception {
    Config config = new Config();
    config.setString("s3", null, "store", "file:" + directory);
    S3Settings settings = S3Settings.from(config, "test");
    try (S3RepositoryManager elsewhere = S3RepositoryManager.open(settings)) {
      elsewhere.createRepository("r").close();
    }
    try (ServerMetrics metrics = new ServerMetrics();
        S3RepositoryManager manager = S3RepositoryManager.open(settings);
        S3Repository repository = manager.openRepository("r")) {
      new StoreMeters(manager).bindTo(metrics.registry());
      repository.getRefDatabase().getRefs();
      assertThat(metrics.prometheusText())
          .contains(
              "jgits3_refs_tables 0.0",
              "jgits3_refs_manifest_decodings_total 1.0",
              "jgits3_refs_commits_late_total 0.0",
              "jgits3_refs_commits_unknown_total{cause=\"no_answer\"} 0.0",
              "jgits3_refs_commits_unknown_total{cause=\"pruned\"} 0.0",
              "jgits3_refs_downloads_total 0.0",
              "jgits3_refs_parses_total 0.0",
              "jgits3_refs_derivations_total 0.0",
              "jgits3_refs_comparisons_total 0.0",
              "jgits3_refs_differences_total 0.0",
              "jgits3_refs_evictions_total 0.0",
              "jgits3_refs_folds_total 0.0",
              "jgits3_refs_folds_foreground_total 0.0",
              "jgits3_refs_folds_lost_total 0.0",
              "jgits3_refs_folds_waiting 0.0",
              "jgits3_refs_compaction_waiting 0.0",
              "jgits3_refs_log_damaged_total 0.0");
    }
  }
}
