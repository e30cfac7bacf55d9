// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.e2e;

import java.io.IOException;
import java.nio.file.Path;

/** Real Git on a store in a local directory. */
class DirectoryEndToEndIT extends GitEndToEndContract {
  @Override
  ServedStore openStore(Path scratch) throws IOException {
    return ServedStore.directory(scratch);
  }
}
