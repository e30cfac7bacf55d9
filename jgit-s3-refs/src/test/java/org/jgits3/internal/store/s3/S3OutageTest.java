// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.store.s3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.FutureTask;
import org.jgits3.Stores;
import org.jgits3.internal.function.IoConsumer;
import org.jgits3.internal.store.read.ReadAhead;
import org.jgits3.internal.store.upload.PackUpload;
import org.jgits3.internal.store.upload.PackUploads;
import org.jgits3.store.ConcurrentTasks;
import org.jgits3.store.GetResult;
import org.jgits3.store.ListedObject;
import org.jgits3.store.MultipartUpload;
import org.jgits3.store.ObjectInfo;
import org.jgits3.store.ObjectStore;
import org.jgits3.store.PartBody;
import org.jgits3.store.ReadRequest;
import org.jgits3.store.StoreLocation;
import org.jgits3.store.StoreOptions;
import org.jgits3.store.UploadOptions;
import org.jgits3.store.UploadedPart;
import org.jgits3.testing.Holds;
import org.jgits3.testing.OutageProxy;
import org.jgits3.testing.S3Server;
import org.jgits3.testing.S3Servers;
import org.jgits3.testing.aid.RandomBytes;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Requests to a real server during an outage: what can be repeated is delayed and does not fail.
 */
@Holds(
    "Retries, S3ObjectStore, Pacing: An outage within `requestDeadline` fails no repeatable "
        + "request. Retries are limited over all requests, and none waits beyond its deadline.")
@Holds(
    "Cancellable, PartsInFlight, ReadAhead, ParallelRequests, S3ObjectStore, Retries: A pause in an outage "
        + "ends at once with its upload, stream or manager, or by an interrupt")
@Tag("s3")
@Timeout(value = 300, threadMode = ThreadMode.SEPARATE_THREAD)
class S3OutageTest {
  /** More attempts than the SDK makes by itself. */
  private static final int REFUSALS = 4;

  private static final int MIB = 1 << 20;
  private static final byte[] BODY = RandomBytes.of(MIB, 1);

  private static S3Server server;
  private StoreLocation.Bucket location;
  @AutoClose private OutageProxy proxy;
  @AutoClose private ObjectStore store;

  @BeforeAll
  static void find_server() {
    server = S3Servers.require();
  }

  @BeforeEach
  void open() throws IOException {
    location = server.newBucket();
    proxy = new OutageProxy(server.endpoint());
    store = open(StoreOptions.REQUEST_DEADLINE);
    store.put("old/object", BODY, 0, BODY.length);
  }

  private ObjectStore open(Duration deadline) throws IOException {
    return Stores.open(
        location,
        new StoreOptions(
            Optional.of(proxy.endpoint()), Optional.of(S3Server.REGION), true, 8, deadline));
  }

  /** A request, and how to see that it was answered. */
  @SuppressWarnings("ImmutableEnumChecker") // functions of nothing but their argument
  private enum Operation {
    GET(
        store -> {
          GetResult.Found found = (GetResult.Found) store.get("old/object", Optional.empty());
          assertThat(found.bytes()).isEqualTo(BODY);
        }),
    READ(
        store -> {
          byte[] dst = new byte[BODY.length];
          store.read("old/object", 0, dst, 0, dst.length, Optional.empty());
          assertThat(dst).isEqualTo(BODY);
        }),
    COMPARE(
        store ->
            assertThat(
                    store.compare(
                        new ReadRequest("old/object", 0, BODY, 0, BODY.length, Optional.empty())))
                .isTrue()),
    STAT(store -> assertThat(store.stat("old/object")).isPresent()),
    PUT(
        store -> {
          store.put("new", BODY, 0, BODY.length);
          assertThat(store.stat("new")).isPresent();
        }),
    LIST(
        store -> {
          List<ListedObject> listed = new ArrayList<>();
          store.list("old/", listed::add);
          assertThat(listed).hasSize(1);
        }),
    DELETE(
        store -> {
          store.delete(List.of("old/object"));
          assertThat(store.stat("old/object")).isEmpty();
        }),
    LIST_MULTIPART(store -> assertThat(store.listMultipart("old/")).isEmpty());

    private final IoConsumer<ObjectStore> request;

    Operation(IoConsumer<ObjectStore> request) {
      this.request = request;
    }
  }

  @ParameterizedTest
  @EnumSource(Operation.class)
  void a_request_is_answered_after_an_outage(Operation operation) throws IOException {
    proxy.fail(REFUSALS);
    operation.request.accept(store);
    assertThat(proxy.refused()).isEqualTo(REFUSALS);
  }

  @Test
  void an_upload_goes_on_after_an_outage_at_each_of_its_requests() throws IOException {
    MultipartUpload upload;
    byte[] part = RandomBytes.of(6 * MIB, 1);
    List<UploadedPart> parts = new ArrayList<>();
    proxy.fail(REFUSALS);
    upload = store.beginMultipart("pack", Map.of("token", "t"));
    for (int number = 1; number <= 2; number++) {
      proxy.fail(REFUSALS);
      parts.add(store.uploadPart(upload, number, PartBody.of(part, 0, part.length)));
    }
    proxy.fail(REFUSALS);
    store.completeMultipart(upload, parts);
    assertThat(store.stat("pack")).map(ObjectInfo::size).contains(12L * MIB);
    assertThat(proxy.refused()).isEqualTo(4 * REFUSALS);
  }

  /** A store that would repeat its requests for ever, and has been answered before. */
  private ObjectStore patient() throws IOException {
    ObjectStore patient = open(Duration.ofDays(1));
    patient.stat("old/object");
    return patient;
  }

  private void awaitRefusals(int refusals) {
    ConcurrentTasks.waitWhile(() -> proxy.refused() < refusals);
  }

  @Test
  void an_upload_that_is_given_up_does_not_wait_for_the_end_of_an_outage() throws Exception {
    try (ObjectStore patient = patient();
        PackUploads uploads = new PackUploads(patient, new UploadOptions(5 * MIB, 3))) {
      PackUpload upload = uploads.begin("pack");
      upload.write(BODY);
      proxy.failAfter(8 * MIB, Integer.MAX_VALUE);
      upload.write(RandomBytes.of(14 * MIB, 1));
      awaitRefusals(REFUSALS);
      upload.fail(new IOException("given up"));
      assertThat(uploads.buffersInUse()).isZero();
    }
  }

  @Test
  void a_stream_that_is_closed_does_not_wait_for_the_end_of_an_outage() throws Exception {
    byte[] pack = RandomBytes.of(16 * MIB, 1);
    store.put("pack", pack, 0, pack.length);
    try (ObjectStore patient = patient();
        ReadAhead stream =
            new ReadAhead(
                (offset, dst, at, length) ->
                    patient.read("pack", offset, dst, at, length, Optional.empty()),
                1,
                pack.length,
                8 * MIB)) {
      stream.read(0, ByteBuffer.allocate(1));
      proxy.fail(Integer.MAX_VALUE);
      stream.read(0, ByteBuffer.allocate(2 * MIB)); // asks for a fifth piece
      awaitRefusals(2);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true}) // a manager that closes ends the repetitions first
  void the_end_of_the_store_or_of_its_repetitions_ends_all_waits(boolean closes) throws Exception {
    ObjectStore patient = patient();
    proxy.fail(Integer.MAX_VALUE);
    FutureTask<Optional<ObjectInfo>> waiting = new FutureTask<>(() -> patient.stat("old/object"));
    new Thread(waiting).start();
    awaitRefusals(3);
    if (closes) {
      patient.close();
    } else {
      patient.endRetries();
    }
    assertThatThrownBy(waiting::get).hasCauseInstanceOf(Exception.class);
    patient.close();
  }
}
