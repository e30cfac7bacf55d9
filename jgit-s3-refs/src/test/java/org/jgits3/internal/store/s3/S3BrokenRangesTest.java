// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.store.s3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.Arrays;
import java.util.Optional;
import java.util.SplittableRandom;
import org.jgits3.Stores;
import org.jgits3.internal.store.read.RangeReader;
import org.jgits3.store.ObjectInfo;
import org.jgits3.store.ObjectStore;
import org.jgits3.store.ObjectVersion;
import org.jgits3.store.StoreException;
import org.jgits3.store.StoreLocation;
import org.jgits3.store.StoreOptions;
import org.jgits3.testing.Holds;
import org.jgits3.testing.ReplyDroppingProxy;
import org.jgits3.testing.S3Server;
import org.jgits3.testing.S3Servers;
import org.jgits3.testing.aid.RandomBytes;
import org.jgits3.testing.aid.Unchecked;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Ranges of a real server whose connections break: what arrived stays, and versions never mix. */
@Holds(
    "RangeDownload, Retries, S3ObjectStore: A broken range continues where it broke, in the same "
        + "version, and its size bounds the requests")
@Tag("s3")
class S3BrokenRangesTest {
  private static final String KEY = "range";
  private static final int MIB = 1 << 20;

  /** More than the header of an answer has. */
  private static final int HEADER = 2048;

  private S3Server server;
  private StoreLocation.Bucket location;
  @AutoClose private ObjectStore direct;

  @BeforeEach
  void create_bucket() throws IOException {
    server = S3Servers.require();
    location = server.newBucket();
    direct = Stores.open(location, server.options());
  }

  private byte[] written(int seed, int length) throws IOException {
    byte[] bytes = RandomBytes.of(length, seed);
    direct.put(KEY, bytes, 0, length);
    return bytes;
  }

  private Optional<ObjectVersion> version() throws IOException {
    return direct.stat(KEY).map(ObjectInfo::version);
  }

  /** A proxy that breaks some answers to GETs off. */
  private ReplyDroppingProxy breaking(int breaks, long after) {
    return new ReplyDroppingProxy(server.endpoint(), "GET .*", breaks, after);
  }

  /** A proxy that breaks the first answer off after the object was replaced. */
  private ReplyDroppingProxy replacingBy(byte[] other) {
    ReplyDroppingProxy proxy = breaking(1, 2 * MIB);
    proxy.beforeBreaks(() -> Unchecked.run(() -> direct.put(KEY, other, 0, other.length)));
    return proxy;
  }

  private ObjectStore through(ReplyDroppingProxy proxy) throws IOException {
    return Stores.open(
        location,
        new StoreOptions(Optional.of(proxy.endpoint()), Optional.of(S3Server.REGION), true, 8));
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void a_break_in_the_middle_costs_a_request_and_no_byte_twice(boolean known) throws Exception {
    byte[] bytes = written(1, 16 * MIB);
    int length = bytes.length - 12;
    byte[] dst = new byte[bytes.length];
    try (ReplyDroppingProxy proxy = breaking(1, 9 * MIB);
        ObjectStore store = through(proxy)) {
      ObjectVersion version =
          store.read(KEY, 7, dst, 5, length, known ? version() : Optional.empty());

      assertThat(Optional.of(version)).isEqualTo(version());
      assertThat(Arrays.equals(dst, 5, 5 + length, bytes, 7, 7 + length)).isTrue();
      assertThat(proxy.dropped()).isEqualTo(1);
      assertThat(proxy.matched()).isEqualTo(2);
      assertThat(proxy.passedOn()).isBetween((long) length, (long) length + 2 * HEADER);
    }
  }

  @Test
  void a_large_read_ends_over_a_line_that_breaks_after_every_MiB() throws Exception {
    byte[] bytes = written(2, 24 * MIB);
    byte[] dst = new byte[bytes.length];
    try (ReplyDroppingProxy proxy = breaking(Integer.MAX_VALUE, MIB);
        ObjectStore store = through(proxy)) {
      new RangeReader(store, new RangeReader.Sizes(MIB, 6 * MIB), true)
          .read(KEY, 0, dst, 0, dst.length);

      assertThat(dst).isEqualTo(bytes);
      assertThat(proxy.matched()).isBetween(24, 32);
      assertThat(proxy.passedOn()).isLessThan(bytes.length + 32L * HEADER);
    }
  }

  @Test
  void progress_forgives_the_breaks_before_it() throws Exception {
    byte[] bytes = written(4, 3 * MIB);
    byte[] dst = new byte[bytes.length];
    int third = RangeDownload.PROGRESS / 3 + HEADER;
    try (ReplyDroppingProxy proxy = breaking(Integer.MAX_VALUE, third);
        ObjectStore store = through(proxy)) {
      store.read(KEY, 0, dst, 0, dst.length, Optional.empty());
      assertThat(dst).isEqualTo(bytes);
      assertThat(proxy.matched()).isGreaterThan(2 * Retries.BREAKS);
    }
  }

  @Test
  void a_named_version_that_is_replaced_before_the_rest_is_read_has_changed() throws Exception {
    byte[] bytes = written(5, 4 * MIB);
    byte[] other = bytes.clone();
    new SplittableRandom(6).nextBytes(other);
    byte[] dst = new byte[bytes.length];
    Optional<ObjectVersion> version = version();
    try (ReplyDroppingProxy proxy = replacingBy(other);
        ObjectStore store = through(proxy)) {
      assertThatThrownBy(() -> store.read(KEY, 0, dst, 0, dst.length, version))
          .isInstanceOf(StoreException.Changed.class)
          .hasMessageContaining(KEY);
      assertThat(proxy.matched()).isEqualTo(2);
    }
  }

  @Test
  void any_version_is_read_from_its_beginning_if_the_first_one_was_replaced() throws Exception {
    byte[] bytes = written(7, 4 * MIB);
    byte[] other = bytes.clone();
    new SplittableRandom(8).nextBytes(other);
    byte[] dst = new byte[bytes.length];
    try (ReplyDroppingProxy proxy = replacingBy(other);
        ObjectStore store = through(proxy)) {
      ObjectVersion version = store.read(KEY, 0, dst, 0, dst.length, Optional.empty());
      assertThat(Optional.of(version)).isEqualTo(version());
      assertThat(dst).isEqualTo(other);
      assertThat(proxy.matched()).isEqualTo(3);
    }
  }
}
