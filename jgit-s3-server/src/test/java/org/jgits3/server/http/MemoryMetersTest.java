// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.eclipse.jgit.lib.Config;
import org.jgits3.S3RepositoryManager;
import org.jgits3.S3Settings;
import org.jgits3.micrometer.StoreMeters;
import org.jgits3.server.http.metrics.ServerMetrics;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MemoryMetersTest {
  private static final long LIMIT = 1 << 20;

  @Test
  void memory_and_its_limits_are_shown_by_use(@TempDir Path directory) throws Exception {
    Config config = new Config();
    config.setString("s3", null, "store", "file:" + directory);
    config.setLong("s3", "refs", "cacheLimit", LIMIT);
    config.setLong("s3", null, "manifestLimit", 2 * LIMIT);
    config.setLong("s3", "packs", "indexLimit", 3 * LIMIT);
    config.setLong("s3", "receive", "memoryLimit", 4 * LIMIT);
    config.setLong("s3", "upload", "partSize", 5 * LIMIT);
    config.setInt("s3", "upload", "buffers", 2);
    try (ServerMetrics metrics = new ServerMetrics();
        S3RepositoryManager manager = S3RepositoryManager.open(S3Settings.from(config, "test"))) {
      new StoreMeters(manager).bindTo(metrics.registry());
      manager.createRepository("r").close();
      assertThat(metrics.prometheusText())
          .contains(
              size("manifests", manager.manifestBudget().held()),
              limit("refs", LIMIT),
              limit("manifests", 2 * LIMIT),
              limit("indexes", 3 * LIMIT),
              limit("transfers", 4 * LIMIT),
              limit("parts", 10 * LIMIT));
      assertThat(manager.manifestBudget().held()).isPositive();
    }
  }

  private static String size(String use, long bytes) {
    return "jgits3_memory_size_bytes{use=\"" + use + "\"} " + (double) bytes;
  }

  private static String limit(String use, long bytes) {
    return "jgits3_memory_limit_bytes{use=\"" + use + "\"} " + (double) bytes;
  }
}
