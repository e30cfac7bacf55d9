// SPDX-License-Identifier: Apache-2.0
package org.jgits3.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Parts that memory cannot hold, in a local directory. */
class DirectoryGatheredPartsTest extends GatheredPartsContract {
  @TempDir Path directory;

  @Override
  ObjectStore openStore() throws IOException {
    return new DirectoryObjectStore(directory);
  }

  @Test
  void each_piece_is_written_once_and_read_once() throws Exception {
    byte[] bytes = content(8 * SIZE, 1);
    try (ObjectStore store = new ObservedObjectStore(openStore(), counts);
        PackUploads uploads = new PackUploads(store, new UploadOptions(SIZE, 1), FOR_EVER, SIZES);
        PackUpload upload = uploads.begin("x.pack")) {
      upload.write(bytes);
    }
    RequestCounts.Snapshot cost = counts.snapshot();
    assertThat(cost.of(RequestKind.PUT)).isEqualTo(6);
    assertThat(cost.of(RequestKind.READ)).isEqualTo(6);
    assertThat(cost.bytes().get(RequestKind.READ)).isEqualTo(6L * SIZE);
  }
}
