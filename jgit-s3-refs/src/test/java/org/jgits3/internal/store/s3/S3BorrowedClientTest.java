// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.store.s3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.Optional;
import org.eclipse.jgit.lib.Config;
import org.jgits3.S3RepositoryManager;
import org.jgits3.S3Settings;
import org.jgits3.store.GetResult;
import org.jgits3.store.ObjectStore;
import org.jgits3.store.StoreException;
import org.jgits3.store.StoreOptions;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.services.s3.S3Client;

/** The contract of stores, through a client that the caller made and closes. */
class S3BorrowedClientTest extends S3ObjectStoreTest {
  private static S3Client client;

  @BeforeAll
  static void create_client() {
    client = S3LostRepliesTest.client(server.endpoint());
  }

  @AfterAll
  static void close_client() {
    if (client != null) { // there is a server
      client.close();
    }
  }

  @Override
  protected ObjectStore open() {
    ObjectStore store = S3ObjectStore.using(location, client, StoreOptions.DEFAULT.connections());
    store.probedService().orElseThrow().speak(server.dialect());
    return store;
  }

  @Test
  void a_store_needs_a_connection() {
    assertThatThrownBy(() -> S3ObjectStore.using(location, client, 0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("at least 1");
  }

  @Test
  void credentials_of_the_caller_are_those_that_count() throws Exception {
    AwsBasicCredentials wrong = AwsBasicCredentials.create("nobody", "nothing");
    AwsBasicCredentials right = AwsBasicCredentials.create(server.accessKey(), server.secretKey());
    try (ObjectStore store = open(wrong)) {
      assertThatThrownBy(() -> store.get("k", Optional.empty()))
          .isInstanceOf(StoreException.Refused.class);
    }
    try (ObjectStore store = open(right)) {
      assertThat(store.get("k", Optional.empty())).isEqualTo(new GetResult.Missing());
    }
  }

  private ObjectStore open(AwsBasicCredentials credentials) throws IOException {
    return S3ObjectStore.open(
        location,
        server.options(),
        client -> client.credentialsProvider(StaticCredentialsProvider.create(credentials)));
  }

  @Test
  void a_manager_of_a_program_that_has_a_client_already() throws Exception {
    S3Settings settings = S3Settings.from(new Config(), "test");
    try (S3RepositoryManager manager =
        S3RepositoryManager.open(
            S3ObjectStore.using(location, client, StoreOptions.DEFAULT.connections()), settings)) {
      manager.createRepository("r").close();
      assertThat(manager.list()).containsExactly("r");
    }
  }
}
