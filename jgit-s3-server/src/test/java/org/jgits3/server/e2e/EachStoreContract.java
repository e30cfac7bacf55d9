// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.e2e;

import java.io.IOException;
import java.nio.file.Path;
import org.jgits3.server.e2e.process.RunningServer;
import org.jgits3.server.e2e.process.ServedStore;
import org.jgits3.server.e2e.process.ServerInJvm;
import org.jgits3.store.StoreKind;
import org.jgits3.testing.GitClient;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Tests that run with a kind of store, in full runs with each: with a server and a client of its
 * own each.
 */
@ParameterizedClass
@MethodSource("org.jgits3.store.StoreKind#ofThisRun")
abstract class EachStoreContract {
  @Parameter StoreKind kind;
  @TempDir Path scratch;
  ServedStore store;
  RunningServer server;
  GitClient work;

  @BeforeEach
  void serve() throws Exception {
    store = ServedStore.of(kind, scratch);
    server = start(store);
    GitClient git = GitClient.in(scratch);
    git.run("init", "-q", "-b", "main", "work");
    work = git.at("work");
  }

  /** Starts the server of a test, which creates repositories on push. */
  RunningServer start(ServedStore served) throws IOException {
    return ServerInJvm.startCreating(served);
  }

  @AfterEach
  void stop() throws IOException {
    if (server != null) { // there is a store
      server.close();
    }
  }
}
