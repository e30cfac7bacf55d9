// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.store.s3;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.time.Duration;
import java.util.Optional;
import org.jgits3.store.ConcurrentTasks;
import org.jgits3.store.ObjectStore;
import org.jgits3.store.StoreException;
import org.jgits3.store.StoreLocation;
import org.jgits3.store.StoreOptions;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.auth.credentials.AnonymousCredentialsProvider;

/** Requests that wait for a connection when their time is over. */
class S3FullPoolTest {
  private static final StoreLocation.Bucket LOCATION = new StoreLocation.Bucket("bucket", "p");
  private static final int CONNECTIONS = 2;
  private static final int READERS = 24;
  private static final int ROUNDS = 2;

  @Test
  void a_read_whose_time_ends_while_it_waits_fails_as_one_without_an_answer() throws Exception {
    try (ServerSocket silent = new ServerSocket(0, READERS, InetAddress.getLoopbackAddress());
        ObjectStore store = open(URI.create("http://127.0.0.1:" + silent.getLocalPort()))) {
      ConcurrentTasks.run(
          READERS,
          reader -> {
            for (int i = 0; i < ROUNDS; i++) {
              assertThatThrownBy(() -> store.get("k", Optional.empty(), Duration.ofMillis(1)))
                  .isInstanceOf(StoreException.Unavailable.class);
            }
          });
    }
  }

  private static ObjectStore open(URI endpoint) throws IOException {
    StoreOptions options =
        new StoreOptions(
            Optional.of(endpoint),
            Optional.of("us-east-1"),
            true,
            CONNECTIONS,
            StoreOptions.REQUEST_DEADLINE);
    return S3ObjectStore.open(
        LOCATION,
        options,
        client -> client.credentialsProvider(AnonymousCredentialsProvider.create()));
  }
}
