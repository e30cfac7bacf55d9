// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.store.upload;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import org.jgits3.internal.store.file.DirectoryObjectStore;
import org.jgits3.store.ObjectStore;
import org.junit.jupiter.api.io.TempDir;

/** {@link PackUpload} to a local directory. */
class DirectoryPackUploadTest extends PackUploadContract {
  @TempDir Path directory;

  @Override
  String endpoint() {
    return "";
  }

  @Override
  Map<String, String> environment() {
    return Map.of();
  }

  @Override
  ObjectStore openStore() throws IOException {
    return new DirectoryObjectStore(directory);
  }
}
