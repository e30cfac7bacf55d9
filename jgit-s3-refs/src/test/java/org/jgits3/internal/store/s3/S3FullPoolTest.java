// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.store.s3;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jgits3.store.GetResult;
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
    ExecutorService threads = Executors.newFixedThreadPool(READERS);
    try (ServerSocket silent = new ServerSocket(0, READERS, InetAddress.getLoopbackAddress());
        ObjectStore store = open(URI.create("http://127.0.0.1:" + silent.getLocalPort()))) {
      List<Callable<GetResult>> reads = new ArrayList<>();
      for (int i = 0; i < READERS * ROUNDS; i++) {
        reads.add(() -> store.get("k", Optional.empty(), Duration.ofMillis(1)));
      }
      for (Future<GetResult> read : threads.invokeAll(reads)) {
        assertThat(failure(read)).isInstanceOf(StoreException.Unavailable.class);
      }
    } finally {
      threads.shutdownNow();
    }
  }

  private static Throwable failure(Future<GetResult> read) throws InterruptedException {
    try {
      throw new AssertionError("an answer: " + read.get());
    } catch (ExecutionException e) {
      return e.getCause();
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
