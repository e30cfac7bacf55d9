// SPDX-License-Identifier: Apache-2.0
package org.jgits3.store;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;

/** {@link PackUpload} to a local directory. */
class DirectoryPackUploadTest extends PackUploadContract {
  @TempDir Path directory;

  @Override
  ObjectStore openStore() throws IOException {
    return new DirectoryObjectStore(directory);
  }
}
