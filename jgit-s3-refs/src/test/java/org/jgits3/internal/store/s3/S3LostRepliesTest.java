// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.store.s3;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.jgits3.Stores;
import org.jgits3.internal.store.read.RangeReader;
import org.jgits3.store.GetResult;
import org.jgits3.store.MultipartUpload;
import org.jgits3.store.ObjectStore;
import org.jgits3.store.PartBody;
import org.jgits3.store.Precondition;
import org.jgits3.store.PutOutcome;
import org.jgits3.store.StoreContent;
import org.jgits3.store.StoreException;
import org.jgits3.store.StoreLocation;
import org.jgits3.store.StoreOptions;
import org.jgits3.store.UploadedPart;
import org.jgits3.testing.Holds;
import org.jgits3.testing.ReplyDroppingProxy;
import org.jgits3.testing.S3Server;
import org.jgits3.testing.S3Servers;
import org.jgits3.testing.aid.RandomBytes;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import software.amazon.awssdk.core.retry.RetryMode;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.s3.S3Client;

/** {@link S3ObjectStore} on a real server whose replies get lost or break off, or that refuses. */
@Holds(
    "S3ObjectStore, S3Failure: A conditional write is one attempt. Without a certain answer it is "
        + "`Unknown`.")
@Holds(
    "Completion, ObjectNames: An upload has a name of its own, used once, and so needs no "
        + "condition. It is complete when the store says so or the object was seen.")
@Holds(
    "RangeDownload, Retries, S3ObjectStore: A broken range continues where it broke, in the same "
        + "version, and its size bounds the requests")
@Tag("s3")
class S3LostRepliesTest {
  private static final byte[] BODY = "body".getBytes(UTF_8);
  private static final int EVERY = Integer.MAX_VALUE;
  private static final int MIB = 1 << 20;

  /** More than the header of an answer has. */
  private static final int HEADER = 2048;

  private static S3Server server;
  private static StoreLocation.Bucket location;

  @BeforeAll
  static void create_bucket() {
    server = S3Servers.require();
    location = server.newBucket();
  }

  @Test
  void a_conditional_write_whose_reply_is_lost_is_unknown_and_was_applied() throws IOException {
    try (ReplyDroppingProxy proxy = dropping("PUT .*/created.*", EVERY);
        ObjectStore store = Stores.open(location, through(proxy))) {
      assertThat(store.putIf("created", BODY, Precondition.absent()))
          .isInstanceOf(PutOutcome.Unknown.class);
      assertThat(proxy.dropped()).isEqualTo(1);
      GetResult.Found found = (GetResult.Found) store.get("created", Optional.empty());
      assertThat(found.bytes()).isEqualTo(BODY);
    }
  }

  @Test
  void so_it_is_through_a_borrowed_client_that_retries() throws IOException {
    try (ReplyDroppingProxy proxy = dropping("PUT .*/borrowed.*", EVERY);
        S3Client client = client(proxy.endpoint())) {
      try (ObjectStore store =
          S3ObjectStore.using(location, client, StoreOptions.DEFAULT.connections())) {
        assertThat(store.putIf("borrowed", BODY, Precondition.absent()))
            .isInstanceOf(PutOutcome.Unknown.class);
        assertThat(proxy.dropped()).isEqualTo(1);
        assertThat(store.putIf("other", BODY, Precondition.absent()))
            .isInstanceOf(PutOutcome.Won.class);
      }
      assertThat(client.listBuckets().buckets()).as("is the owner's to close").isNotEmpty();
    }
  }

  static S3Client client(URI endpoint) {
    return S3Client.builder()
        .endpointOverride(endpoint)
        .region(Region.of(S3Server.REGION))
        .forcePathStyle(true)
        .overrideConfiguration(o -> o.retryStrategy(RetryMode.STANDARD))
        .build();
  }

  @Test
  void a_plain_write_whose_reply_is_lost_is_repeated() throws IOException {
    try (ReplyDroppingProxy proxy = dropping("PUT .*/written.*", 1);
        ObjectStore store = Stores.open(location, through(proxy))) {
      store.put("written", BODY, 0, BODY.length);
      assertThat(proxy.dropped()).isEqualTo(1);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, EVERY})
  void a_completion_whose_replies_are_lost_is_a_success(int drops) throws IOException {
    String key = "completed-" + drops;
    try (ReplyDroppingProxy proxy = dropping("POST .*uploadId=.*", drops);
        ObjectStore store = Stores.open(location, through(proxy))) {
      MultipartUpload upload = store.beginMultipart(key, Map.of("token", "t-1"));
      UploadedPart part = store.uploadPart(upload, 1, PartBody.of(BODY, 0, BODY.length));
      store.completeMultipart(upload, List.of(part));
      assertThat(proxy.dropped()).isPositive();
      assertThat(StoreContent.bytes(store, key)).isEqualTo(BODY);
    }
  }

  @Test
  void a_server_that_is_gone_is_unavailable() throws IOException {
    ReplyDroppingProxy proxy = dropping("", 0);
    proxy.close();
    try (ObjectStore store = Stores.open(location, through(proxy))) {
      assertThat(store.putIf("k", BODY, Precondition.absent()))
          .isInstanceOf(PutOutcome.Unknown.class);
      assertThatThrownBy(() -> store.get("k", Optional.empty()))
          .isInstanceOf(StoreException.Unavailable.class)
          .hasMessageContaining(location + "/k: no answer: ");
    }
  }

  @Test
  void a_wrong_bucket_is_refused_by_every_verb() throws IOException {
    StoreLocation.Bucket wrong = new StoreLocation.Bucket("there-is-no-such-bucket", "");
    try (ObjectStore store = Stores.open(wrong, server.options())) {
      assertThatThrownBy(() -> store.get("k", Optional.empty())).satisfies(this::refuses_bucket);
      assertThatThrownBy(() -> store.read("k", 0, new byte[1], 0, 1, Optional.empty()))
          .satisfies(this::refuses_bucket);
      assertThatThrownBy(() -> store.putIf("k", BODY, Precondition.absent()))
          .satisfies(this::refuses_bucket);
      assertThatThrownBy(() -> store.put("k", BODY, 0, BODY.length))
          .satisfies(this::refuses_bucket);
      assertThatThrownBy(() -> store.beginMultipart("k", Map.of())).satisfies(this::refuses_bucket);
      assertThatThrownBy(() -> store.list("", object -> {})).satisfies(this::refuses_bucket);
      assertThatThrownBy(() -> store.delete(List.of("k"))).satisfies(this::refuses_bucket);
    }
  }

  private void refuses_bucket(Throwable failure) {
    assertThat(failure)
        .isInstanceOf(StoreException.Refused.class)
        .hasMessageStartingWith("s3://there-is-no-such-bucket/")
        .hasMessageContaining("there is no such bucket; create it");
  }

  /** Writes bytes, and lets them be read over a line that always breaks after so many. */
  private void readOverBreaks(
      int length, int passed, RangeReader.Sizes sizes, Consumer<ReplyDroppingProxy> judge)
      throws IOException {
    byte[] bytes = RandomBytes.of(length, passed);
    byte[] dst = new byte[length];
    try (ReplyDroppingProxy proxy =
            new ReplyDroppingProxy(server.endpoint(), "GET .*", EVERY, passed);
        ObjectStore store = Stores.open(location, through(proxy))) {
      store.put("range", bytes, 0, length);
      new RangeReader(store, sizes, true).read("range", 0, dst, 0, length);
      assertThat(dst).isEqualTo(bytes);
      judge.accept(proxy);
    }
  }

  @Test
  void a_large_read_ends_over_a_line_that_breaks_after_every_MiB() throws Exception {
    readOverBreaks(
        24 * MIB,
        MIB,
        new RangeReader.Sizes(MIB, 6 * MIB),
        proxy -> {
          assertThat(proxy.matched()).isBetween(24, 32);
          assertThat(proxy.passedOn()).isLessThan(24 * MIB + 32 * HEADER);
        });
  }

  @Test
  void progress_forgives_the_breaks_before_it() throws Exception {
    readOverBreaks(
        3 * MIB,
        RangeDownload.PROGRESS / 3 + HEADER,
        new RangeReader.Sizes(3 * MIB, 3 * MIB),
        proxy -> assertThat(proxy.matched()).isGreaterThan(2 * Retries.BREAKS));
  }

  private static ReplyDroppingProxy dropping(String victim, int drops) {
    return new ReplyDroppingProxy(server.endpoint(), victim, drops);
  }

  private static StoreOptions through(ReplyDroppingProxy proxy) {
    return new StoreOptions(Optional.of(proxy.endpoint()), Optional.of(S3Server.REGION), true, 4);
  }
}
