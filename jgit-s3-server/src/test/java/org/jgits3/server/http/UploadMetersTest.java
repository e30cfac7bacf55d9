// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.eclipse.jgit.lib.Config;
import org.jgits3.S3RepositoryManager;
import org.jgits3.S3Settings;
import org.jgits3.internal.store.upload.PackUpload;
import org.jgits3.internal.store.upload.PackUploads;
import org.jgits3.micrometer.StoreMeters;
import org.jgits3.server.http.metrics.ServerMetrics;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class UploadMetersTest {
  @TempDir Path directory;

  @Test
  void buffers_in_use_and_their_limit_are_shown() throws Exception {
    Config config = new Config();
    config.setString("s3", null, "store", "file:" + directory);
    config.setInt("s3", "upload", "buffers", 3);
    try (ServerMetrics metrics = new ServerMetrics();
        S3RepositoryManager manager = S3RepositoryManager.open(S3Settings.from(config, "test"))) {
      new StoreMeters(manager).bindTo(metrics.registry());
      PackUpload upload = ((PackUploads) manager.uploads()).begin("a");
      upload.write(new byte[PackUpload.OWN_BYTES + 1]);

      assertThat(metrics.prometheusText())
          .contains(
              "jgits3_upload_buffers 1.0", "jgits3_upload_limit 3.0", "jgits3_upload_waiting 0.0");
      upload.abort();
    }
  }
}
