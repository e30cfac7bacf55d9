// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.e2e;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.jgits3.server.e2e.process.ServedStore;
import org.jgits3.server.e2e.process.ServerProcess;
import org.jgits3.testing.GitClient;
import org.jgits3.testing.RandomSeed;
import org.jgits3.testing.S3Servers;
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
@MethodSource("kinds")
abstract class EachStoreContract {
  /** Kind of a store. */
  enum Kind {
    DIRECTORY,
    BUCKET
  }

  /** Both in full runs; otherwise a bucket if there is a server. */
  static List<Kind> kinds() {
    boolean bucket = S3Servers.find().isPresent();
    List<Kind> all =
        bucket ? List.of(Kind.BUCKET, Kind.DIRECTORY) : List.of(Kind.DIRECTORY, Kind.BUCKET);
    return all.subList(0, RandomSeed.count(1, 2));
  }

  @Parameter Kind kind;
  @TempDir Path scratch;
  ServedStore store;
  ServerProcess server;
  GitClient work;

  @BeforeEach
  void serve() throws Exception {
    store =
        switch (kind) {
          case DIRECTORY -> ServedStore.directory(scratch);
          case BUCKET -> ServedStore.bucket(S3Servers.require(), scratch);
        };
    server = ServerProcess.start(store, "--create-on-push");
    GitClient git = GitClient.in(scratch);
    git.run("init", "-q", "-b", "main", "work");
    work = git.at("work");
  }

  @AfterEach
  void stop() throws IOException {
    if (server != null) { // there is a store
      server.close();
    }
  }
}
