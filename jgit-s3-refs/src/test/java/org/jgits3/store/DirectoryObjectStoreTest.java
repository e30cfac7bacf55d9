// SPDX-License-Identifier: Apache-2.0
package org.jgits3.store;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;

class DirectoryObjectStoreTest extends ObjectStoreContract {
  @TempDir Path root;

  @Override
  protected ObjectStore open() throws IOException {
    return new DirectoryObjectStore(root);
  }
}
