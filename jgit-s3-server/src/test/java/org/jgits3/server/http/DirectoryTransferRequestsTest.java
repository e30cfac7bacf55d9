// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.http;

import java.io.IOException;
import java.nio.file.Path;
import org.jgits3.store.DirectoryObjectStore;
import org.jgits3.store.ObjectStore;
import org.junit.jupiter.api.io.TempDir;

/** Requests to a directory. */
class DirectoryTransferRequestsTest extends TransferRequestsContract {
  @TempDir Path directory;

  @Override
  protected ObjectStore store() throws IOException {
    return new DirectoryObjectStore(directory);
  }
}
