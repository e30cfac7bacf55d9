// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.store.s3;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jgits3.store.ManualTimers;
import org.jgits3.store.MultipartUpload;
import org.jgits3.store.ObjectStore;
import org.jgits3.store.Precondition;
import org.jgits3.store.PutOutcome;
import org.jgits3.store.StoreLocation;
import org.jgits3.store.UploadedPart;
import org.jgits3.testing.ScriptedHttpServer;
import org.jgits3.testing.ScriptedHttpServer.Request;
import org.jgits3.testing.ScriptedHttpServer.Script;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import software.amazon.awssdk.auth.credentials.AnonymousCredentialsProvider;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.s3.S3Client;

/**
 * Tests of the time-outs of requests through a client that the caller made, on the clock of the
 * test.
 */
class S3BorrowedTimeoutsTest {
  private static final StoreLocation.Bucket LOCATION = new StoreLocation.Bucket("bucket", "p");
  private static final byte[] BODY = "body".getBytes(UTF_8);
  private static final MultipartUpload UPLOAD = new MultipartUpload("k", "id", Map.of());
  private static final List<UploadedPart> PARTS =
      List.of(new UploadedPart(1, "\"t\"", BODY.length, 0));
  private static final byte[] COMPLETED =
      ("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<CompleteMultipartUploadResult>"
              + "<ETag>e</ETag></CompleteMultipartUploadResult>")
          .getBytes(UTF_8);

  @AutoClose("shutdownNow")
  private final ManualTimers timers = new ManualTimers();

  /** A client that is used for small objects elsewhere; zero for no time-outs at all. */
  private S3Client client(ScriptedHttpServer server, Duration call, Duration attempt) {
    return S3Client.builder()
        .endpointOverride(server.endpoint())
        .region(Region.US_EAST_1)
        .credentialsProvider(AnonymousCredentialsProvider.create())
        .forcePathStyle(true)
        .overrideConfiguration(
            o -> {
              o.scheduledExecutorService(timers);
              if (!call.isZero()) {
                o.apiCallTimeout(call).apiCallAttemptTimeout(attempt);
              }
            })
        .build();
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 20})
  void a_completion_may_take_minutes_whatever_the_client_is_set_to(int seconds) throws Exception {
    Script script =
        (n, exchange) -> {
          timers.pass(Completion.PATIENCE.minusSeconds(30));
          exchange.sendResponseHeaders(200, COMPLETED.length);
          exchange.getResponseBody().write(COMPLETED);
        };
    Duration limit = Duration.ofSeconds(seconds);
    try (ScriptedHttpServer server = new ScriptedHttpServer(script);
        S3Client client = client(server, limit, limit);
        ObjectStore store = S3ObjectStore.using(LOCATION, client, 4)) {
      store.completeMultipart(UPLOAD, PARTS);
      assertThat(server.requests()).extracting(Request::method).containsExactly("POST");
    }
  }

  @Test
  void a_completion_that_is_cut_off_all_the_same_is_looked_for() throws Exception {
    Script script =
        (n, exchange) -> {
          if (exchange.getRequestMethod().equals("HEAD")) {
            exchange.getResponseHeaders().set("ETag", "\"v2\"");
            exchange.getResponseHeaders().set("Content-Length", String.valueOf(BODY.length));
            exchange.sendResponseHeaders(200, -1);
          } else {
            timers.pass(Completion.PATIENCE);
          }
        };
    try (ScriptedHttpServer server = new ScriptedHttpServer(script);
        S3Client client = client(server, Duration.ZERO, Duration.ZERO);
        ObjectStore store = S3ObjectStore.using(LOCATION, client, 4)) {
      store.completeMultipart(UPLOAD, PARTS);
      assertThat(server.requests()).extracting(Request::method).containsExactly("POST", "HEAD");
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 60})
  void a_conditional_write_is_in_doubt_after_ten_seconds(int seconds) throws Exception {
    Script script = (n, exchange) -> timers.pass(S3ObjectStore.WRITE_TIMEOUT);
    Duration limit = Duration.ofSeconds(seconds);
    try (ScriptedHttpServer server = new ScriptedHttpServer(script);
        S3Client client = client(server, limit, limit);
        ObjectStore store = S3ObjectStore.using(LOCATION, client, 4)) {
      assertThat(store.putIf("k", BODY, Precondition.absent()))
          .isInstanceOfSatisfying(
              PutOutcome.Unknown.class,
              unknown -> assertThat(unknown.toString()).contains("10000 millis"));
      assertThat(server.requests()).hasSize(1);
    }
  }
}
