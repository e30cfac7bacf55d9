// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.jgits3.internal.store.file.DirectoryObjectStore;
import org.jgits3.internal.store.upload.PackUpload;
import org.jgits3.internal.store.upload.PackUploads;
import org.jgits3.server.http.metrics.ServerMetrics;
import org.jgits3.server.http.metrics.UploadMeters;
import org.jgits3.store.ObjectStore;
import org.jgits3.store.UploadOptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class UploadMetersTest {
  @TempDir Path directory;

  @Test
  void buffers_in_use_and_their_limit_are_shown() throws Exception {
    try (ServerMetrics metrics = new ServerMetrics();
        ObjectStore store = new DirectoryObjectStore(directory);
        PackUploads uploads =
            new PackUploads(store, new UploadOptions(UploadOptions.MIN_PART_SIZE, 3))) {
      new UploadMeters(uploads).bindTo(metrics.registry());
      PackUpload upload = uploads.begin("a");
      upload.write(new byte[PackUpload.OWN_BYTES + 1]);

      assertThat(metrics.prometheusText())
          .contains(
              "jgits3_upload_buffers 1.0", "jgits3_upload_limit 3.0", "jgits3_upload_waiting 0.0");
      upload.abort();
    }
  }
}
