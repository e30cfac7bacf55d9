// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import org.jgits3.internal.store.file.DirectoryObjectStore;
import org.jgits3.store.ObjectStore;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Requests to a directory. */
class DirectoryTransferRequestsTest extends TransferRequestsContract {
  @TempDir Path directory;

  @Override
  protected ObjectStore store() throws IOException {
    return new DirectoryObjectStore(directory);
  }

  @Test
  void a_server_offers_what_was_configured_elsewhere_without_being_told() throws Exception {
    configure(elsewhere, "uploadpack", "allowRefInWant", "true");
    Instant deadline = Instant.now().plusSeconds(40);
    while (!capabilities().contains("ref-in-want") && Instant.now().isBefore(deadline)) {
      Thread.sleep(100);
    }
    assertThat(capabilities()).contains("ref-in-want");
  }
}
