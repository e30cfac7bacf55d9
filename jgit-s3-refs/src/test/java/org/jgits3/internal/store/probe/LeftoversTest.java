// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.store.probe;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.eclipse.jgit.lib.Config;
import org.jgits3.S3RepositoryManager;
import org.jgits3.S3Settings;
import org.jgits3.Stores;
import org.jgits3.store.ConcurrentTasks;
import org.jgits3.store.MultipartUpload;
import org.jgits3.store.ObjectStore;
import org.jgits3.store.StoreContent;
import org.jgits3.store.StoreLocation;
import org.jgits3.testing.ForkedJvm;
import org.jgits3.testing.Holds;
import org.jgits3.testing.S3Server;
import org.jgits3.testing.S3Servers;
import org.junit.jupiter.api.Test;

/** What a probe leaves whose process was killed is found and deleted. */
@Holds("Leftovers: Objects of a killed probe are swept after an hour, a marker never")
class LeftoversTest {
  private final S3Server server = S3Servers.require();
  private final StoreLocation.Bucket bucket = server.newBucket();

  /** Probes a store, and is killed meanwhile. */
  static final class Probing {
    private Probing() {}

    public static void main(String[] args) throws Exception {
      Config config = new Config();
      config.setString("s3", null, "store", args[0]);
      config.setString("s3", null, "endpoint", args[1]);
      config.setString("s3", null, "region", S3Server.REGION);
      config.setBoolean("s3", null, "pathStyle", true);
      S3RepositoryManager.open(S3Settings.from(config, "arguments")).close();
    }
  }

  private Process probing() throws IOException {
    ProcessBuilder program =
        ForkedJvm.program(Probing.class, bucket.toString(), server.endpoint().toString());
    program.environment().putAll(server.environment());
    return program.start();
  }

  private static List<String> keys(ObjectStore store) throws IOException {
    return StoreContent.keys(store, "");
  }

  @Test
  void objects_and_uploads_of_a_killed_probe_are_deleted_an_hour_later() throws Exception {
    try (ObjectStore store = Stores.open(bucket, server.options())) {
      Process process = probing();
      try {
        ConcurrentTasks.waitWhile(() -> keys(store).isEmpty());
      } finally {
        process.destroyForcibly().waitFor();
      }
      String left = keys(store).get(0);
      MultipartUpload upload =
          store.beginMultipart(left.substring(0, left.lastIndexOf('/')) + "/x", Map.of());

      Leftovers.find(store, Instant.now()).delete(store);
      assertThat(keys(store)).as("a probe that may still run").contains(left);

      Leftovers found = Leftovers.find(store, Instant.now().plus(Duration.ofHours(2)));
      assertThat(found.keys()).contains(left);
      assertThat(found.uploads()).contains(upload);
      found.delete(store);
      assertThat(keys(store)).isEmpty();
      assertThat(store.listMultipart("")).isEmpty();
    }
  }

  @Test
  void marker_stays() throws Exception {
    try (ObjectStore store = Stores.open(bucket, server.options())) {
      Markers.mark(store, store.service());
      assertThat(Leftovers.find(store, Instant.now().plus(Duration.ofDays(1))).keys()).isEmpty();
    }
  }
}
