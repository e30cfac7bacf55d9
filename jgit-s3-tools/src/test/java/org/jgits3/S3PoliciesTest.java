// SPDX-License-Identifier: Apache-2.0
package org.jgits3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.eclipse.jgit.lib.Config;
import org.eclipse.jgit.revwalk.RevWalk;
import org.jgits3.internal.store.s3.S3ObjectStore;
import org.jgits3.manifest.RepositoryName;
import org.jgits3.store.ObjectStore;
import org.jgits3.store.StoreException;
import org.jgits3.store.StoreLocation;
import org.jgits3.testing.S3Server;
import org.jgits3.testing.S3Servers;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.AwsCredentials;
import software.amazon.awssdk.auth.credentials.AwsSessionCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.http.apache5.Apache5HttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.sts.StsClient;
import software.amazon.awssdk.services.sts.model.Credentials;

/**
 * The sample policies on a server that enforces them: with credentials that a policy bounds, a role
 * does its work, and is refused what belongs to others.
 */
@Tag("s3")
class S3PoliciesTest {
  private static final String POINTER = RepositoryName.of("r").pointerKey();
  private static final byte[] BYTES = {1};

  private static S3Server server;

  private StoreLocation.Bucket bucket;

  @BeforeAll
  static void require_a_server_that_enforces_policies() {
    server = S3Servers.require();
    assumeTrue(
        server.product().equals("MinIO"),
        () -> "the sample policies are tried on MinIO only, and the S3 tests run on " + server);
  }

  @BeforeEach
  void fill() throws Exception {
    bucket = new StoreLocation.Bucket(server.newBucket().bucket(), "git");
    try (S3RepositoryManager writer = new S3RepositoryManager(all("git"), settings())) {
      PoliciesTest.serve(writer);
    }
    try (ObjectStore other = all("other")) {
      other.put("k", BYTES, 0, 1);
    }
  }

  private static S3Settings settings() throws Exception {
    return S3Settings.from(new Config(), "test");
  }

  /** A prefix of the bucket, as the administrator of the server has it. */
  private ObjectStore all(String prefix) throws IOException {
    return open(prefix, AwsBasicCredentials.create(server.accessKey(), server.secretKey()));
  }

  /** A prefix of the bucket with credentials that a sample policy bounds. */
  private ObjectStore bounded(String prefix, String policy) throws IOException {
    String bound =
        new ObjectMapper()
            .readTree(PoliciesTest.ETC.resolve(policy).toFile())
            .toString()
            .replace("my-bucket", bucket.bucket());
    try (StsClient sts =
        StsClient.builder()
            .httpClientBuilder(Apache5HttpClient.builder())
            .endpointOverride(server.endpoint())
            .region(Region.of(S3Server.REGION))
            .credentialsProvider(
                StaticCredentialsProvider.create(
                    AwsBasicCredentials.create(server.accessKey(), server.secretKey())))
            .build()) {
      Credentials made =
          sts.assumeRole(
                  r ->
                      r.roleArn("arn:aws:iam::000000000000:role/test")
                          .roleSessionName("test")
                          .policy(bound))
              .credentials();
      return open(
          prefix,
          AwsSessionCredentials.create(
              made.accessKeyId(), made.secretAccessKey(), made.sessionToken()));
    }
  }

  private ObjectStore open(String prefix, AwsCredentials credentials) throws IOException {
    return S3ObjectStore.open(
        new StoreLocation.Bucket(bucket.bucket(), prefix),
        server.options(),
        client -> client.credentialsProvider(StaticCredentialsProvider.create(credentials)));
  }

  private static void assertRefused(ThrowingCallable request) {
    assertThatThrownBy(request).isInstanceOf(StoreException.Refused.class);
  }

  /** Checks that a policy ends at the prefix of its store, and keeps manifests. */
  private void assertKeepsToItsOwn(String policy) throws IOException {
    try (ObjectStore own = bounded("git", policy);
        ObjectStore other = bounded("other", policy)) {
      assertRefused(() -> own.delete(List.of(POINTER)));
      assertRefused(() -> own.delete(List.of("repos/x/manifest")));
      assertRefused(() -> other.get("k", Optional.empty()));
      assertRefused(() -> other.put("k", BYTES, 0, 1));
      assertRefused(() -> other.delete(List.of("k")));
      assertRefused(() -> other.list("", object -> {}));
    }
  }

  @Test
  void replica_reads_and_writes_nothing() throws Exception {
    String policy = "iam-policy-replica.sample.json";
    try (S3RepositoryManager replica = new S3RepositoryManager(bounded("git", policy), settings());
        S3Repository r = replica.openRepository("r");
        RevWalk walk = new RevWalk(r)) {
      assertThat(replica.list()).containsExactly("r");
      walk.parseCommit(r.resolve("refs/heads/main"));
      assertThat(r.history().since(0).next()).isPresent();
    }
    try (ObjectStore own = bounded("git", policy)) {
      assertRefused(() -> own.put("objects/x", BYTES, 0, 1));
      assertRefused(() -> own.put(POINTER, BYTES, 0, 1));
      assertRefused(() -> own.put("repos/x/manifest", BYTES, 0, 1));
      assertRefused(() -> own.delete(List.of("objects/x")));
    }
    assertKeepsToItsOwn(policy);
  }

  @Test
  void server_serves_and_compacts_and_deletes_no_manifest() throws Exception {
    String policy = "iam-policy-server.sample.json";
    try (S3RepositoryManager admin = new S3RepositoryManager(all("git"), settings())) {
      admin.delete("r");
    }
    try (S3RepositoryManager manager =
        S3RepositoryManager.open(bounded("git", policy), settings())) {
      PoliciesTest.serve(manager);
      assertRefused(() -> manager.sweep("r", Duration.ZERO, false));
    }
    assertKeepsToItsOwn(policy);
  }

  @Test
  void maintenance_collects_verifies_and_sweeps_and_deletes_no_manifest() throws Exception {
    String policy = "iam-policy-maintenance.sample.json";
    try (S3RepositoryManager manager =
        S3RepositoryManager.open(bounded("git", policy), settings())) {
      PoliciesTest.maintain(manager);
    }
    assertKeepsToItsOwn(policy);
  }

  @Test
  void administrator_renames_and_deletes_below_the_prefix_only() throws Exception {
    String policy = "iam-policy.sample.json";
    try (S3RepositoryManager manager =
        S3RepositoryManager.open(bounded("git", policy), settings())) {
      manager.rename("r", "renamed");
      manager.sweep("renamed", Duration.ZERO, false);
      manager.delete("renamed");
      assertThat(manager.list()).isEmpty();
    }
    try (ObjectStore own = bounded("git", policy);
        ObjectStore other = bounded("other", policy)) {
      assertThatCode(() -> own.delete(List.of(POINTER))).doesNotThrowAnyException();
      assertRefused(() -> other.get("k", Optional.empty()));
    }
  }
}
