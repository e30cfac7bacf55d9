// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.jgits3.S3Repository;
import org.jgits3.S3RepositoryManager;
import org.jgits3.TestRepositories;
import org.jgits3.internal.store.upload.PackUpload;
import org.jgits3.internal.store.upload.PackUploads;
import org.jgits3.micrometer.StoreMeters;
import org.jgits3.server.http.metrics.ServerMetrics;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StoreMetersTest {
  private static final long MIB = 1 << 20;

  @TempDir Path directory;
  @AutoClose private final ServerMetrics metrics = new ServerMetrics();

  private void show(S3RepositoryManager manager) {
    new StoreMeters(manager).bindTo(metrics.registry());
  }

  @Test
  void memory_and_its_limits_are_shown_by_use() throws Exception {
    String limits =
        """
        [s3]
          manifestLimit = 2m
        [s3 "refs"]
          cacheLimit = 1m
        [s3 "packs"]
          indexLimit = 3m
        [s3 "receive"]
          memoryLimit = 4m
        [s3 "upload"]
          partSize = 5m
          buffers = 2
        """;
    try (S3RepositoryManager manager = TestRepositories.manager(directory, limits)) {
      show(manager);
      manager.createRepository("r").close();
      assertThat(metrics.prometheusText())
          .contains(
              size("manifests", manager.manifestBudget().held()),
              limit("refs", MIB),
              limit("manifests", 2 * MIB),
              limit("indexes", 3 * MIB),
              limit("transfers", 4 * MIB),
              limit("parts", 10 * MIB));
      assertThat(manager.manifestBudget().held()).isPositive();
    }
  }

  private static String size(String use, long bytes) {
    return "jgits3_memory_size_bytes{use=\"" + use + "\"} " + (double) bytes;
  }

  private static String limit(String use, long bytes) {
    return "jgits3_memory_limit_bytes{use=\"" + use + "\"} " + (double) bytes;
  }

  @Test
  void what_refs_cost_is_shown() throws Exception {
    try (S3RepositoryManager elsewhere = TestRepositories.manager(directory)) {
      elsewhere.createRepository("r").close();
    }
    try (S3RepositoryManager manager = TestRepositories.manager(directory);
        S3Repository repository = manager.openRepository("r")) {
      show(manager);
      repository.getRefDatabase().getRefs();
      assertThat(metrics.prometheusText())
          .contains(
              "jgits3_refs_manifest_decodings_total 1.0",
              "jgits3_refs_commits_late_total 0.0",
              "jgits3_refs_commits_unknown_total 0.0",
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

  @Test
  void buffers_in_use_and_their_limit_are_shown() throws Exception {
    try (S3RepositoryManager manager =
        TestRepositories.manager(directory, "[s3 \"upload\"]\nbuffers = 3")) {
      show(manager);
      PackUpload upload = ((PackUploads) manager.uploads()).begin("a");
      upload.write(new byte[PackUpload.OWN_BYTES + 1]);
      assertThat(metrics.prometheusText())
          .contains(
              "jgits3_upload_buffers 1.0", "jgits3_upload_limit 3.0", "jgits3_upload_waiting 0.0");
      upload.abort();
    }
  }
}
