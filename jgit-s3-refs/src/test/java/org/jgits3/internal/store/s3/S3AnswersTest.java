// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.store.s3;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.net.httpserver.HttpExchange;
import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jgits3.Stores;
import org.jgits3.internal.function.IoConsumer;
import org.jgits3.store.ConcurrentTasks;
import org.jgits3.store.GetResult;
import org.jgits3.store.ManualTimers;
import org.jgits3.store.MultipartUpload;
import org.jgits3.store.ObjectStore;
import org.jgits3.store.ObjectVersion;
import org.jgits3.store.PartBody;
import org.jgits3.store.Precondition;
import org.jgits3.store.ProbedService;
import org.jgits3.store.ProbedService.Dialect;
import org.jgits3.store.PutOutcome;
import org.jgits3.store.StoreException;
import org.jgits3.store.StoreLocation;
import org.jgits3.store.StoreOptions;
import org.jgits3.store.UploadedPart;
import org.jgits3.testing.Holds;
import org.jgits3.testing.ScriptedHttpServer;
import org.jgits3.testing.ScriptedHttpServer.Request;
import org.jgits3.testing.ScriptedHttpServer.Script;
import org.jgits3.testing.SystemProperties;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import software.amazon.awssdk.core.client.config.ClientOverrideConfiguration;
import software.amazon.awssdk.core.interceptor.Context;
import software.amazon.awssdk.core.interceptor.ExecutionAttributes;
import software.amazon.awssdk.core.interceptor.ExecutionInterceptor;
import software.amazon.awssdk.http.apache5.Apache5HttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.s3.S3Client;

/** Tests of the requests of {@link S3ObjectStore}, and of answers that servers rarely give. */
@Holds("S3Uploads: A completed upload has the checksum computed from those of its parts")
@Holds(
    "S3ObjectStore, S3Failure, CommitLoop: A truncated body is read again. Only a complete body "
        + "with a wrong checksum is corrupt.")
@Holds(
    "AnswerRepairs: \"Not modified\" is believed only as the answer to a read that named a version")
class S3AnswersTest {
  /** Time-out of an attempt, on the clock of the test. */
  private static final Duration PATIENCE = Duration.ofSeconds(2);

  private static final VarHandle BYTES = MethodHandles.arrayElementVarHandle(byte[].class);

  private static final StoreLocation.Bucket LOCATION = new StoreLocation.Bucket("bucket", "p");
  private static final Precondition MATCHES = Precondition.matches(new ObjectVersion("\"v1\""));
  private static final byte[] BODY = "body".getBytes(UTF_8);
  private static final byte[] DIGITS = "012345678".getBytes(UTF_8);
  private static final byte[] LETTERS = "abcdefghi".getBytes(UTF_8);
  private static final List<UploadedPart> PARTS =
      List.of(new UploadedPart(1, "\"t\"", BODY.length, 0));
  private static final int NEVER = Integer.MAX_VALUE;
  private static final byte[] COMPLETED =
      ("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<CompleteMultipartUploadResult>"
              + "<ETag>e</ETag></CompleteMultipartUploadResult>")
          .getBytes(UTF_8);
  private static final byte[] BEGUN =
      "<InitiateMultipartUploadResult><UploadId>id</UploadId></InitiateMultipartUploadResult>"
          .getBytes(UTF_8);
  private static final byte[] DELETED =
      "<?xml version=\"1.0\"?>\n<DeleteResult></DeleteResult>".getBytes(UTF_8);
  private static final MultipartUpload UPLOAD = new MultipartUpload("k", "id");
  private static final String SECRET = "not-to-be-shown";

  @AutoClose private final SystemProperties properties = new SystemProperties();

  @AutoClose("shutdownNow")
  private final ManualTimers timers = new ManualTimers();

  @AutoClose private ScriptedHttpServer server;
  @AutoClose private ObjectStore store;

  @BeforeEach
  void set_credentials() {
    properties
        .set("aws.accessKeyId", "AKIDEXAMPLE")
        .set("aws.secretAccessKey", SECRET)
        .set("aws.region", "us-east-1");
  }

  @Test
  void an_endpoint_without_TLS_is_named_with_what_to_do() throws IOException {
    try (ServerSocket plain = new ServerSocket(0, 0, InetAddress.getLoopbackAddress())) {
      Thread answers = new Thread(() -> refuseAll(plain));
      answers.start();
      String endpoint = "https://127.0.0.1:" + plain.getLocalPort();
      StoreOptions options =
          new StoreOptions(
              Optional.of(URI.create(endpoint)), Optional.empty(), true, 8, Duration.ofSeconds(1));
      try (ObjectStore wrong = Stores.open(LOCATION, options)) {
        assertThatThrownBy(() -> wrong.stat("k"))
            .isInstanceOf(StoreException.Unavailable.class)
            .hasMessageStartingWith("s3://bucket/p/k: no answer: TLS at " + endpoint + " failed: ")
            .hasMessageContaining("correct endpoint, which begins with http:// if");
      }
    }
  }

  /** Answers whatever begins a connection as a server without TLS does, until it is closed. */
  private static void refuseAll(ServerSocket plain) {
    while (!plain.isClosed()) {
      try (Socket client = plain.accept()) {
        client.getOutputStream().write("HTTP/1.1 400 Bad Request\r\n\r\n".getBytes(UTF_8));
        client.shutdownOutput();
        client.getInputStream().readAllBytes(); // unread bytes would reset the connection
      } catch (IOException e) {
        // the next client is answered, or the server is closed
      }
    }
  }

  @ParameterizedTest
  @CsvSource({
    "500, InternalError, Unknown",
    "502, '', Unknown",
    "503, SlowDown, Unknown",
    "503, '', Unknown",
    "429, '', Unknown",
    "409, ConditionalRequestConflict, Unknown",
    "400, RequestTimeout, Unknown",
    "200, InternalError, Unknown",
    "200, PreconditionFailed, Lost[]",
    "412, PreconditionFailed, Lost[]",
    "500, PreconditionFailed, Lost[]",
    "404, NoSuchKey, Lost[]",
    "501, NotImplemented, Unsupported",
    "501, '', Unsupported",
    "400, InvalidRequest, Unsupported",
    "400, XNotSupported, Unsupported",
  })
  void a_conditional_write_is_sent_once_and_decided_by_its_answer(
      int status, String code, String outcome) throws IOException {
    serve(answering(status, code));
    int told = status == 200 ? 500 : status; // an error that comes with a success
    if (outcome.equals("Unsupported")) {
      assertThatThrownBy(() -> store.putIf("k", BODY, MATCHES))
          .isInstanceOf(StoreException.Unsupported.class);
    } else if (outcome.equals("Unknown")) {
      assertThat(store.putIf("k", BODY, MATCHES))
          .isInstanceOfSatisfying(
              PutOutcome.Unknown.class,
              unknown -> assertThat(unknown.reason()).startsWith("s3://bucket/p/k: " + told));
    } else {
      assertThat(store.putIf("k", BODY, MATCHES)).hasToString(outcome);
    }
    assertThat(server.requests()).hasSize(1);
  }

  @ParameterizedTest
  @ValueSource(ints = {200, 412, 500})
  void a_creation_is_lost_by_the_code_PreconditionFailed_under_any_status(int status)
      throws IOException {
    serve(answering(status, "PreconditionFailed"));
    assertThat(store.putIf("k", BODY, Precondition.absent())).isEqualTo(new PutOutcome.Lost());
    assertThat(server.requests()).hasSize(1);
  }

  private static ObjectStore using(S3Client client) throws IOException {
    return S3ObjectStore.using(LOCATION, client, StoreOptions.DEFAULT.connections());
  }

  /** A client as a program has it that says nothing about checksums. */
  private static S3Client defaultClient(ScriptedHttpServer server) {
    return S3Client.builder()
        .endpointOverride(server.endpoint())
        .httpClientBuilder(Apache5HttpClient.builder())
        .forcePathStyle(true)
        .build();
  }

  /**
   * Many stores do not know bodies in chunks with a trailer, which the SDK sends by default. Some
   * want Content-MD5 of a deletion, and know no other checksum.
   */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void a_body_has_no_chunks_and_a_deletion_has_the_digest_all_stores_take(boolean borrowed)
      throws IOException {
    Script script =
        (n, exchange) -> {
          byte[] answer = exchange.getRequestMethod().equals("POST") ? DELETED : new byte[0];
          found(exchange, answer, answer.length);
        };
    try (ScriptedHttpServer server = new ScriptedHttpServer(script);
        S3Client client = defaultClient(server);
        ObjectStore store = borrowed ? using(client) : open(server)) {
      store.putIf("k", BODY, MATCHES);
      store.put("k", BODY, 0, BODY.length);
      store.uploadPart(UPLOAD, 1, PartBody.of(BODY, 0, 4));
      store.delete(List.of("k"));
      assertThat(server.requests())
          .hasSize(4)
          .last()
          .satisfies(request -> assertThat(request.headers()).containsKey("Content-md5"));
      assertThat(server.requests().subList(0, 3))
          .allSatisfy(
              request -> {
                assertThat(request.body()).isEqualTo(BODY);
                assertThat(request.headers())
                    .doesNotContainKeys("X-amz-decoded-content-length", "X-amz-trailer");
              });
    }
  }

  @Test
  void a_deletion_whose_answer_breaks_off_before_its_first_byte_is_repeated() throws IOException {
    serve((n, exchange) -> found(exchange, DELETED, n > 1 ? DELETED.length : 0));
    store.delete(List.of("k"));
    assertThat(server.requests()).hasSize(2);
  }

  @Test
  void a_page_of_a_listing_that_breaks_off_is_asked_for_again_and_told_once() throws IOException {
    String page =
        "<ListBucketResult><Name>bucket</Name><Contents><Key>p/%d</Key><Size>1</Size></Contents>"
            + "<IsTruncated>%b</IsTruncated><NextContinuationToken>t</NextContinuationToken>"
            + "</ListBucketResult>";
    serve(
        (n, exchange) -> {
          boolean last = exchange.getRequestURI().getQuery().contains("continuation-token=t");
          byte[] body = page.formatted(last ? 2 : 1, !last).getBytes(UTF_8);
          found(exchange, body, n % 2 == 1 ? body.length - 20 : body.length);
        });
    List<String> keys = new ArrayList<>();
    store.list("", object -> keys.add(object.key()));
    assertThat(keys).containsExactly("1", "2");
    assertThat(server.requests()).hasSize(4);
  }

  @Test
  void an_exception_not_of_the_SDK_leaves_a_request_without_an_answer() throws IOException {
    AtomicInteger sent = new AtomicInteger();
    ExecutionInterceptor everyOther =
        new ExecutionInterceptor() {
          @Override
          public void beforeTransmission(
              Context.BeforeTransmission context, ExecutionAttributes attributes) {
            if (sent.getAndIncrement() % 2 == 0) {
              throw new NullPointerException("Connection");
            }
          }
        };
    serve(
        (n, exchange) -> found(exchange, BODY, BODY.length),
        client -> client.addExecutionInterceptor(everyOther));
    assertThat(store.get("k", Optional.empty())).isInstanceOf(GetResult.Found.class);
    assertThat(sent).hasValue(2);
    assertThat(store.putIf("k", BODY, MATCHES)).isInstanceOf(PutOutcome.Unknown.class);
    assertThat(sent).hasValue(3);
  }

  @Test
  void a_conditional_write_without_an_answer_is_unknown_and_was_sent_once() throws IOException {
    serve((n, exchange) -> timers.pass(S3ObjectStore.WRITE_TIMEOUT), this::useTimers);
    assertThat(store.putIf("k", BODY, MATCHES)).isInstanceOf(PutOutcome.Unknown.class);
    assertThat(server.requests()).hasSize(1);
    assertThat(Thread.interrupted()).isFalse();
  }

  @Test
  void an_interrupt_before_a_conditional_write_makes_it_unknown_and_stays() throws IOException {
    serve(answering(412, "PreconditionFailed"));
    Thread.currentThread().interrupt();
    PutOutcome outcome = store.putIf("k", BODY, MATCHES);
    assertThat(Thread.interrupted()).isTrue();
    assertThat(outcome).isInstanceOf(PutOutcome.Unknown.class);
  }

  @Test
  void an_interrupt_during_a_conditional_write_hides_no_success_and_stays() throws IOException {
    Thread writer = Thread.currentThread();
    serve(
        (n, exchange) -> {
          writer.interrupt();
          found(exchange, new byte[0], 0);
        });
    PutOutcome outcome = store.putIf("k", BODY, MATCHES);
    assertThat(Thread.interrupted()).isTrue();
    assertThat(outcome).isNotInstanceOf(PutOutcome.Lost.class);
    assertThat(server.requests()).hasSize(1);
  }

  @Test
  void an_interrupted_read_is_unavailable_and_the_interrupt_stays() throws IOException {
    serve(answering(500, "InternalError"));
    Thread.currentThread().interrupt();
    Throwable failure = catchThrowable(() -> store.get("k", Optional.empty()));
    assertThat(Thread.interrupted()).isTrue();
    assertThat(failure).isInstanceOf(StoreException.Unavailable.class);
  }

  @ParameterizedTest
  @CsvSource({
    "404, NoSuchBucket, create it",
    "403, AccessDenied, rights",
    "403, InvalidAccessKeyId, correct the credentials",
    "403, SignatureDoesNotMatch, correct the secret key",
    "403, RequestTimeTooSkewed, set the clock",
    "400, ExpiredToken, renew",
    "301, PermanentRedirect, correct region",
    "507, XMinioStorageFull, make room",
    "507, InsufficientStorage, make room",
    "500, XMinioStorageFull, make room",
    "403, '', check credentials",
    "404, '', check the endpoint",
  })
  void a_refusal_says_in_one_line_what_to_change(int status, String code, String advice)
      throws IOException {
    serve(answering(status, code));
    assertThatThrownBy(() -> store.putIf("k", BODY, MATCHES))
        .isInstanceOf(StoreException.Refused.class)
        .hasMessageStartingWith("s3://bucket/p/k: ")
        .hasMessageContaining(advice)
        .message()
        .doesNotContain("\n", SECRET, "AKIDEXAMPLE");
    assertThat(server.requests()).hasSize(1);
    assertThatThrownBy(() -> store.get("k", Optional.empty()))
        .isInstanceOf(StoreException.Refused.class)
        .hasMessageContaining(advice);
  }

  @Test
  void a_body_that_breaks_off_is_read_again() throws IOException {
    serve((n, exchange) -> found(exchange, BODY, n == 1 ? 2 : BODY.length));
    assertThat(((GetResult.Found) store.get("k", Optional.empty())).bytes()).isEqualTo(BODY);
    assertThat(server.requests()).hasSize(2);
  }

  private void assertGivenUp(Script script, IoConsumer<ObjectStore> read, String message)
      throws IOException {
    serve(script);
    assertThatThrownBy(() -> read.accept(store))
        .isInstanceOf(StoreException.BrokenOff.class)
        .hasMessageStartingWith(message);
    assertThat(server.requests()).hasSize(Retries.BREAKS);
  }

  @Test
  void a_body_that_always_breaks_off_is_no_damage_and_may_be_asked_for_later() throws IOException {
    assertGivenUp(
        (n, exchange) -> found(exchange, BODY, 2),
        store -> store.get("k", Optional.empty()),
        "s3://bucket/p/k: the body ended after 2 of 4 bytes, however often it was asked for");
  }

  @Test
  void a_small_object_whose_answer_is_lost_is_asked_for_again_soon() throws IOException {
    serve(
        (n, exchange) -> {
          if (n < 3) {
            timers.pass(S3ObjectStore.READ_TIMEOUT.multipliedBy(n));
          } else {
            found(exchange, BODY, BODY.length);
          }
        },
        this::useTimers);
    assertThat(((GetResult.Found) store.get("k", Optional.empty())).bytes()).isEqualTo(BODY);
    assertThat(server.requests()).hasSize(3);
  }

  @Holds(
      "S3Requests, S3ObjectStore: Connections are reserved for manifests, and a lost answer of a "
          + "manifest is replaced within seconds")
  @Test
  void manifests_have_connections_that_transfers_leave_free() throws Exception {
    CountDownLatch underWay = new CountDownLatch(3);
    CountDownLatch end = new CountDownLatch(1);
    serve(
        (n, exchange) -> {
          if (exchange.getRequestHeaders().containsKey("Range")) {
            underWay.countDown();
            ConcurrentTasks.await(end);
            part(exchange, "\"v2\"", DIGITS, 9);
          } else {
            found(exchange, BODY, exchange.getRequestMethod().equals("GET") ? BODY.length : 0);
          }
        });
    List<FutureTask<ObjectVersion>> reads = new ArrayList<>();
    for (int i = 0; i < options(server).connections(); i++) {
      reads.add(new FutureTask<>(() -> store.read("k", 0, new byte[9], 0, 9, Optional.empty())));
      new Thread(reads.get(i)).start();
    }
    underWay.await();
    assertThat(store.get("k", Optional.empty())).isInstanceOf(GetResult.Found.class);
    assertThat(server.requests()).hasSize(4);
    end.countDown();
    for (FutureTask<ObjectVersion> read : reads) {
      assertThat(read.get()).isEqualTo(new ObjectVersion("\"v2\""));
    }
  }

  @Test
  void a_store_that_ignores_the_range_is_found_out() throws IOException {
    serve((n, exchange) -> found(exchange, BODY, BODY.length));
    assertThatThrownBy(() -> store.read("k", 1, new byte[2], 0, 2, Optional.empty()))
        .isInstanceOf(StoreException.Corrupt.class)
        .hasMessageContaining("s3://bucket/p/k: asked for bytes 1-2/");
  }

  @Test
  void a_range_that_breaks_off_is_read_on_from_there() throws IOException {
    byte[] dst = new byte[7];
    serve((n, exchange) -> part(exchange, "\"v2\"", DIGITS, n == 1 ? 3 : 9));
    store.read("k", 2, dst, 1, 6, Optional.empty());
    assertThat(dst).asString().isEqualTo("\0002" + "34567");
    assertThat(server.requests())
        .extracting(r -> r.headers().getFirst("Range"))
        .containsExactly("bytes=2-7", "bytes=5-7");
    assertThat(server.requests())
        .extracting(r -> r.headers().getFirst("If-Match"))
        .containsExactly(null, "\"v2\"");
  }

  @ParameterizedTest
  @CsvSource({"4, 0, 4", "1, 1, 8"})
  void a_range_that_brings_nothing_or_a_byte_at_a_time_is_given_up(int first, int next, int got)
      throws IOException {
    assertGivenUp(
        (n, exchange) -> part(exchange, "\"v2\"", DIGITS, n == 1 ? first : next),
        store -> store.read("k", 0, new byte[9], 0, 9, Optional.empty()),
        "s3://bucket/p/k: the body ended after " + got + " of 9 bytes, however often it was asked");
  }

  @Test
  void versions_do_not_mix_even_if_the_server_ignores_the_one_asked_for() throws IOException {
    Script script =
        (n, exchange) ->
            part(exchange, "\"v" + n + "\"", n == 1 ? DIGITS : LETTERS, n == 1 ? 4 : 9);
    byte[] dst = new byte[9];
    serve(script);
    assertThatThrownBy(
            () -> store.read("k", 0, dst, 0, 9, Optional.of(new ObjectVersion("\"v1\""))))
        .isInstanceOf(StoreException.Changed.class);
    assertThat(server.requests()).hasSize(2);
    store.close();
    server.close();
    serve(script);
    assertThat(store.read("k", 0, dst, 0, 9, Optional.empty()))
        .isEqualTo(new ObjectVersion("\"v3\""));
    assertThat(dst).asString().isEqualTo("abcdefghi");
  }

  @Test
  void a_path_whose_ETags_mean_nothing_cannot_repeat_a_range_for_ever() throws IOException {
    serve((n, exchange) -> part(exchange, "\"v" + n + "\"", DIGITS, 4));
    assertThatThrownBy(() -> store.read("k", 0, new byte[9], 0, 9, Optional.empty()))
        .isInstanceOf(StoreException.Unavailable.class);
    assertThat(server.requests()).hasSize(2 * Retries.BREAKS - 1);
  }

  @Test
  void a_named_version_that_comes_with_another_range_has_not_changed() throws IOException {
    serve(
        (n, exchange) -> {
          if (n == 1) {
            part(exchange, "\"v2\"", DIGITS, 0);
          } else {
            exchange.getResponseHeaders().set("ETag", "\"v2\"");
            exchange.getResponseHeaders().set("Content-Range", "bytes 0-3/4");
            exchange.sendResponseHeaders(206, 4);
            exchange.getResponseBody().write(DIGITS, 0, 4);
          }
        });
    Optional<ObjectVersion> named = Optional.of(new ObjectVersion("\"v2\""));
    assertThatThrownBy(() -> store.read("k", 0, new byte[9], 0, 9, named))
        .isInstanceOf(StoreException.Corrupt.class);
  }

  @Test
  void a_reader_that_is_interrupted_does_not_ask_for_the_rest() throws IOException {
    Thread reader = Thread.currentThread();
    serve(
        (n, exchange) -> {
          part(exchange, "\"v2\"", DIGITS, 4);
          reader.interrupt();
        });
    Throwable failure =
        catchThrowable(() -> store.read("k", 0, new byte[9], 0, 9, Optional.empty()));
    assertThat(Thread.interrupted()).isTrue();
    assertThat(failure).isInstanceOf(StoreException.Unavailable.class);
    assertThat(server.requests()).hasSize(1);
  }

  @Test
  void a_range_goes_on_where_the_client_has_cut_an_attempt_short() throws IOException {
    byte[] dst = new byte[9];
    Script script =
        (n, exchange) -> {
          part(exchange, "\"v2\"", DIGITS, n == 1 ? 4 : 9);
          if (n == 1) {
            awaitByte(dst, 3);
            timers.pass(PATIENCE);
          }
        };
    try (ScriptedHttpServer server = new ScriptedHttpServer(script);
        S3Client client = impatientClient(server);
        ObjectStore store = using(client)) {
      store.read("k", 0, dst, 0, 9, Optional.empty());
      assertThat(dst).isEqualTo(DIGITS);
      assertThat(server.requests())
          .extracting(r -> r.headers().getFirst("Range"))
          .containsExactly("bytes=0-8", "bytes=4-8");
    }
  }

  private S3Client impatientClient(ScriptedHttpServer server) {
    return S3Client.builder()
        .endpointOverride(server.endpoint())
        .region(Region.US_EAST_1)
        .forcePathStyle(true)
        .overrideConfiguration(
            o -> o.apiCallAttemptTimeout(PATIENCE).scheduledExecutorService(timers))
        .build();
  }

  /** Answers with the range that is asked for, as far as {@code sent} of its bytes. */
  private static void part(HttpExchange exchange, String tag, byte[] object, int sent)
      throws IOException {
    String[] range =
        exchange.getRequestHeaders().getFirst("Range").substring("bytes=".length()).split("-");
    int from = Integer.parseInt(range[0]);
    int length = Integer.parseInt(range[1]) + 1 - from;
    exchange.getResponseHeaders().set("ETag", tag);
    exchange
        .getResponseHeaders()
        .set("Content-Range", "bytes " + String.join("-", range) + "/" + object.length);
    exchange.sendResponseHeaders(206, length);
    exchange.getResponseBody().write(object, from, Math.min(sent, length));
    exchange.getResponseBody().flush();
  }

  @ParameterizedTest
  @CsvSource({"'\"v1\"'", "'\"v2\"'", "''"})
  void not_modified_is_an_answer_and_no_failure_whatever_ETag_comes_with_it(String tag)
      throws IOException {
    AtomicInteger failures = new AtomicInteger();
    ExecutionInterceptor counting =
        new ExecutionInterceptor() {
          @Override
          public void onExecutionFailure(
              Context.FailedExecution context, ExecutionAttributes attributes) {
            failures.incrementAndGet();
          }
        };
    serve(notModified(tag), client -> client.addExecutionInterceptor(counting));
    for (int i = 0; i < 3; i++) {
      assertThat(store.get("k", Optional.of(new ObjectVersion("\"v1\""))))
          .isEqualTo(new GetResult.NotModified());
    }
    assertThat(server.requests())
        .extracting(r -> r.headers().getFirst("If-None-Match"))
        .containsExactly("\"v1\"", "\"v1\"", "\"v1\"");
    assertThat(failures).hasValue(0);
  }

  @Test
  void not_modified_since_nothing_is_refused() throws IOException {
    serve(notModified("\"v1\""));
    assertThatThrownBy(() -> store.get("k", Optional.empty()))
        .isInstanceOf(StoreException.Refused.class)
        .hasMessage("s3://bucket/p/k: 304, which S3 does not answer here; check the endpoint");
    assertThatThrownBy(() -> store.read("k", 0, new byte[1], 0, 1, Optional.empty()))
        .isInstanceOf(StoreException.Refused.class);
  }

  private static Script notModified(String tag) {
    return (n, exchange) -> {
      if (!tag.isEmpty()) {
        exchange.getResponseHeaders().set("ETag", tag);
      }
      exchange.sendResponseHeaders(304, -1);
    };
  }

  @Test
  void a_write_carries_its_checksum_and_no_second_round_trip() throws IOException {
    serve((n, exchange) -> found(exchange, new byte[0], 0));
    byte[] src = "..123456789..".getBytes(UTF_8);
    store.put("k", src, 2, 9);
    store.putIf("k", Arrays.copyOfRange(src, 2, 11), MATCHES);
    assertThat(server.requests()).hasSize(2).allSatisfy(S3AnswersTest::carries_checksum);
  }

  /** The MD5 of {@code 123456789}. */
  private static final String MD5 = "JfnnlDI7RTiF9RgfG2JNCw==";

  @Test
  void writes_in_another_dialect_name_the_bare_tag_and_carry_an_md5() throws IOException {
    serve(
        (n, exchange) -> {
          boolean begins = "uploads".equals(exchange.getRequestURI().getQuery());
          byte[] body = begins ? BEGUN : n == 5 ? COMPLETED : new byte[0];
          found(exchange, body, body.length);
        });
    store
        .probedService()
        .orElseThrow()
        .speak(new Dialect(Dialect.IfMatch.BARE, Dialect.Checksum.MD5));
    byte[] src = "..123456789..".getBytes(UTF_8);
    store.put("k", src, 2, 9);
    store.putIf("k", Arrays.copyOfRange(src, 2, 11), MATCHES);
    MultipartUpload upload = store.beginMultipart("k", Map.of());
    UploadedPart part = store.uploadPart(upload, 1, PartBody.of(src, 2, 9));
    store.completeMultipart(upload, List.of(part));

    List<Request> requests = server.requests();
    assertThat(requests)
        .hasSize(5)
        .allSatisfy(
            request ->
                assertThat(request.headers().keySet())
                    .noneMatch(name -> name.toLowerCase(Locale.ROOT).contains("checksum")));
    assertThat(List.of(requests.get(0), requests.get(1), requests.get(3)))
        .allSatisfy(
            request -> {
              assertThat(request.body()).asString().isEqualTo("123456789");
              assertThat(request.headers().getFirst("Content-MD5")).isEqualTo(MD5);
            });
    assertThat(requests.get(1).headers().getFirst("If-Match")).isEqualTo("v1");
    assertThat(requests.get(4).body()).asString().doesNotContain("Checksum");
  }

  /** The answer of a gateway that has not passed the request on. */
  private static void answeredByAGateway(HttpExchange exchange, String page) throws IOException {
    byte[] body = page.getBytes(UTF_8);
    exchange.sendResponseHeaders(200, body.length == 0 ? -1 : body.length);
    exchange.getResponseBody().write(body);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "<html><body>Please log in</body></html>"})
  void a_success_that_does_not_tell_what_was_made_is_none(String page) throws IOException {
    serve(
        (n, exchange) -> {
          if (n % 2 == 1) {
            answeredByAGateway(exchange, page);
          } else {
            found(exchange, n == 6 ? BEGUN : new byte[0], n == 6 ? BEGUN.length : 0);
          }
        });
    store.put("k", BODY, 0, BODY.length);
    assertThat(server.requests()).hasSize(2);
    assertThat(store.uploadPart(UPLOAD, 1, PartBody.of(BODY, 0, 4)).tag()).isEqualTo("\"v2\"");
    assertThat(server.requests()).hasSize(4);
    assertThat(store.beginMultipart("k", Map.of()).uploadId()).isEqualTo("id");
    assertThat(server.requests()).hasSize(6);
    assertThat(store.get("k", Optional.empty())).isInstanceOf(GetResult.Found.class);
    assertThat(server.requests()).hasSize(8);
    assertThat(store.putIf("k", BODY, MATCHES)).isInstanceOf(PutOutcome.Unknown.class);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "<html><body>Please log in</body></html>"})
  void a_read_whose_answer_tells_no_version_is_repeated(String page) throws IOException {
    serve(
        (n, exchange) -> {
          if (n % 2 == 1) {
            answeredByAGateway(exchange, exchange.getRequestMethod().equals("HEAD") ? "" : page);
          } else if (n == 2) {
            exchange.getResponseHeaders().set("ETag", "\"v2\"");
            headers(exchange, DIGITS.length);
          } else {
            part(exchange, "\"v2\"", DIGITS, DIGITS.length);
          }
        });
    assertThat(store.stat("k")).isPresent();
    assertThat(server.requests()).hasSize(2);
    byte[] dst = new byte[6];
    store.read("k", 2, dst, 0, dst.length, Optional.empty());
    assertThat(dst).asString().isEqualTo("234567");
    assertThat(server.requests()).hasSize(4);
  }

  private static void carries_checksum(Request request) {
    assertThat(request.body()).asString().isEqualTo("123456789");
    // The check value of CRC-32C: E3069283.
    assertThat(request.headers().getFirst("x-amz-checksum-crc32c")).isEqualTo("4waSgw==");
    assertThat(request.headers()).doesNotContainKeys("Expect", "Content-encoding", "X-amz-trailer");
  }

  @ParameterizedTest
  @CsvSource({"4, mine, true", "5, mine, false", "4, other, false"})
  void a_completion_in_doubt_counts_only_if_length_and_token_are_ours(
      int length, String token, boolean success) throws IOException {
    serve(
        (n, exchange) -> {
          if (exchange.getRequestMethod().equals("HEAD")) {
            exchange.getResponseHeaders().set("x-amz-meta-token", token);
            headers(exchange, length);
          } else {
            error(exchange, 404, "NoSuchUpload");
          }
        });
    MultipartUpload upload = new MultipartUpload("k", "id", Map.of("token", "mine"));
    assertCompletes(success, upload, PARTS, StoreException.Missing.class, "");
  }

  private void assertCompletes(
      boolean success,
      MultipartUpload upload,
      List<UploadedPart> parts,
      Class<? extends StoreException> failing,
      String message) {
    Throwable failure = catchThrowable(() -> store.completeMultipart(upload, parts));
    if (success) {
      assertThat(failure).isNull();
    } else {
      assertThat(failure).isInstanceOf(failing).hasMessageStartingWith(message);
    }
  }

  @ParameterizedTest
  @CsvSource({"'5ycGCw==-2', true", "'5ycGCw==-1', false", "'AAAAAA==-2', false", "'', true"})
  void a_completion_is_compared_by_the_checksum_of_the_parts(String checksum, boolean good)
      throws IOException {
    byte[] body =
        ("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<CompleteMultipartUploadResult>"
                + (checksum.isEmpty() ? "" : "<ChecksumCRC32C>" + checksum + "</ChecksumCRC32C>")
                + "<ETag>e</ETag></CompleteMultipartUploadResult>")
            .getBytes(UTF_8);
    List<UploadedPart> parts =
        List.of(
            new UploadedPart(1, "\"a\"", BODY.length, 0x01020304),
            new UploadedPart(2, "\"b\"", BODY.length, 0xfffefdfc));
    serve((n, exchange) -> found(exchange, body, body.length));
    String message = "s3://bucket/p/k: put together with CRC32C " + checksum;
    assertCompletes(good, UPLOAD, parts, StoreException.Corrupt.class, message);
  }

  /**
   * By a server that is still putting the object together: it has kept the first request waiting
   * for too long, and calls its repetitions a success. Or by a proxy in between that answers by
   * itself, with nothing.
   */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void a_completion_called_a_success_waits_for_the_object(boolean repeated) throws IOException {
    AtomicInteger readSet = new AtomicInteger();
    serve(
        repeated
            ? firstIsLost(there(3, readSet, S3AnswersTest::completed))
            : there(3, readSet, (n, exchange) -> exchange.sendResponseHeaders(200, -1)));
    store.completeMultipart(UPLOAD, PARTS);
    assertThat(readSet).hasValue(4);
  }

  @Test
  void a_completion_called_a_success_that_makes_no_object_is_unavailable() throws IOException {
    Script script = firstIsLost(there(NEVER, new AtomicInteger(), S3AnswersTest::completed));
    try (ScriptedHttpServer server = new ScriptedHttpServer(script);
        ObjectStore store =
            new S3ObjectStore(
                LOCATION,
                S3Connection.open(LOCATION, options(server), o -> {}),
                Duration.ofMillis(300),
                Duration.ofMillis(300))) {
      assertThatThrownBy(() -> store.completeMultipart(UPLOAD, PARTS))
          .isInstanceOf(StoreException.Unavailable.class)
          .hasMessageStartingWith("s3://bucket/p/k: completion undecided (no answer: ");
    }
  }

  /**
   * A server may refuse a repetition because it has used the parts, or whatever a credential was
   * that ended meanwhile: that says nothing about the first request.
   */
  @ParameterizedTest
  @CsvSource({"400, InvalidPart, true", "400, InvalidPart, false", "403, ExpiredToken, false"})
  void a_completion_whose_repetition_is_refused_is_what_the_object_says(
      int status, String code, boolean there) throws IOException {
    Script refused = (n, exchange) -> error(exchange, status, code);
    serve(firstIsLost(there(there ? 1 : NEVER, new AtomicInteger(), refused)));
    assertCompletes(there, UPLOAD, PARTS, StoreException.Unavailable.class, "");
  }

  private static void completed(int number, HttpExchange exchange) throws IOException {
    found(exchange, COMPLETED, COMPLETED.length);
  }

  private static Script firstIsLost(Script others) {
    return (n, exchange) -> {
      if (n == 1) {
        exchange.close();
      } else {
        others.answer(n, exchange);
      }
    };
  }

  /** An object that is not there when it is looked for so often at first. */
  private static Script there(int misses, AtomicInteger readSet, Script others) {
    return (n, exchange) -> {
      if (!exchange.getRequestMethod().equals("HEAD")) {
        others.answer(n, exchange);
      } else if (readSet.incrementAndGet() <= misses) {
        exchange.sendResponseHeaders(404, -1);
      } else {
        headers(exchange, BODY.length);
      }
    };
  }

  private static void headers(HttpExchange exchange, int length) throws IOException {
    exchange.getResponseHeaders().set("ETag", "\"v2\"");
    exchange.getResponseHeaders().set("Content-Length", String.valueOf(length));
    exchange.sendResponseHeaders(200, -1);
  }

  @Test
  void an_interrupted_completion_is_unavailable_and_the_interrupt_stays() throws IOException {
    Thread caller = Thread.currentThread();
    serve(
        (n, exchange) -> {
          if (exchange.getRequestMethod().equals("HEAD")) {
            caller.interrupt();
          }
          error(exchange, 500, "InternalError");
        });
    Throwable failure = catchThrowable(() -> store.completeMultipart(UPLOAD, PARTS));
    assertThat(Thread.interrupted()).isTrue();
    assertThat(failure).isInstanceOf(StoreException.Unavailable.class);
  }

  @Test
  void a_completion_that_stays_in_doubt_is_unavailable() throws IOException {
    MultipartUpload upload = new MultipartUpload("k", "id", Map.of("token", "mine"));
    serveOnce(answering(500, "InternalError"));
    assertThatThrownBy(() -> store.completeMultipart(upload, PARTS))
        .isInstanceOf(StoreException.Unavailable.class)
        .hasMessageStartingWith("s3://bucket/p/k: ");
  }

  @ParameterizedTest
  @CsvSource({"404, NoSuchUpload, true", "500, InternalError, false"})
  void completion_of_an_aborted_upload_is_one_attempt(int status, String code, boolean refused)
      throws IOException {
    serve(answering(status, code));
    ProbedService wrong = store.probedService().orElseThrow();
    if (refused) {
      assertThat(wrong.refusesToComplete(UPLOAD, PARTS)).isTrue();
    } else {
      assertThatThrownBy(() -> wrong.refusesToComplete(UPLOAD, PARTS))
          .isInstanceOf(StoreException.Unavailable.class)
          .hasMessageContaining(code);
    }
    assertThat(server.requests()).hasSize(1);
  }

  @Test
  void missing_credentials_are_refused_before_anything_is_sent() throws IOException {
    properties
        .clear("aws.accessKeyId")
        .clear("aws.secretAccessKey")
        .set("aws.disableEc2Metadata", "true")
        .set("aws.sharedCredentialsFile", "none")
        .set("aws.configFile", "none");
    assumeTrue(System.getenv("AWS_ACCESS_KEY_ID") == null);
    serve(answering(500, ""));
    assertThatThrownBy(() -> store.putIf("k", BODY, MATCHES))
        .isInstanceOf(StoreException.Refused.class)
        .hasMessageContaining("s3://bucket/p/k: no credentials found; set AWS_ACCESS_KEY_ID");
    assertThat(server.requests()).isEmpty();
  }

  @Test
  void a_missing_region_is_refused_when_the_store_is_opened() {
    properties
        .clear("aws.region")
        .set("aws.disableEc2Metadata", "true")
        .set("aws.configFile", "no");
    assumeTrue(System.getenv("AWS_REGION") == null);
    assertThatThrownBy(() -> Stores.open(LOCATION, StoreOptions.DEFAULT))
        .isInstanceOf(StoreException.Refused.class)
        .hasMessage(
            "s3://bucket/p: no region found; set region in the configuration, or AWS_REGION");
  }

  /** Starts a server, and opens a store there. */
  private void serve(Script script) throws IOException {
    server = new ScriptedHttpServer(script);
    store = open(server);
  }

  private static ObjectStore open(ScriptedHttpServer server) throws IOException {
    return Stores.open(LOCATION, options(server));
  }

  /** The same, with a client that is configured further. */
  private void serve(Script script, Consumer<ClientOverrideConfiguration.Builder> configure)
      throws IOException {
    server = new ScriptedHttpServer(script);
    store =
        S3ObjectStore.open(
            LOCATION, options(server), client -> client.overrideConfiguration(configure));
  }

  private void useTimers(ClientOverrideConfiguration.Builder client) {
    client.scheduledExecutorService(timers);
  }

  /** Starts a server, and opens a store there whose requests are not repeated. */
  private void serveOnce(Script script) throws IOException {
    server = new ScriptedHttpServer(script);
    store =
        Stores.open(
            LOCATION,
            new StoreOptions(
                Optional.of(server.endpoint()), Optional.of("us-east-1"), true, 4, Duration.ZERO));
  }

  private static StoreOptions options(ScriptedHttpServer server) {
    return new StoreOptions(Optional.of(server.endpoint()), Optional.of("us-east-1"), true, 4);
  }

  private static Script answering(int status, String code) {
    return (n, exchange) -> error(exchange, status, code);
  }

  private static void error(HttpExchange exchange, int status, String code) throws IOException {
    String xml =
        code.isEmpty()
            ? ""
            : "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Error><Code>"
                + code
                + "</Code><Message>said so</Message></Error>";
    byte[] body = xml.getBytes(UTF_8);
    exchange.sendResponseHeaders(status, body.length == 0 ? -1 : body.length);
    exchange.getResponseBody().write(body);
  }

  private static void found(HttpExchange exchange, byte[] body, int sent) throws IOException {
    exchange.getResponseHeaders().set("ETag", "\"v2\"");
    exchange.sendResponseHeaders(200, body.length == 0 ? -1 : body.length);
    exchange.getResponseBody().write(body, 0, sent);
    exchange.getResponseBody().flush();
  }

  /** Waits until a byte of an array, which was zero, has been received by another thread. */
  private static void awaitByte(byte[] dst, int at) {
    ConcurrentTasks.waitWhile(() -> (byte) BYTES.getAcquire(dst, at) == 0);
  }
}
