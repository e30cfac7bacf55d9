// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.store.probe;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.eclipse.jgit.lib.Config;
import org.jgits3.S3RepositoryManager;
import org.jgits3.S3Settings;
import org.jgits3.Stores;
import org.jgits3.internal.store.metrics.ObservedObjectStore;
import org.jgits3.internal.store.metrics.RequestCounts;
import org.jgits3.store.ObjectStore;
import org.jgits3.store.Precondition;
import org.jgits3.store.ProbedService.Dialect;
import org.jgits3.store.ProbedService.Dialect.Checksum;
import org.jgits3.store.ProbedService.Dialect.IfMatch;
import org.jgits3.store.PutOutcome;
import org.jgits3.store.StoreContent;
import org.jgits3.store.StoreLocation;
import org.jgits3.store.StoreOptions;
import org.jgits3.store.UnsafeStoreException;
import org.jgits3.testing.Holds;
import org.jgits3.testing.S3Server;
import org.jgits3.testing.S3Servers;
import org.jgits3.testing.signed.DialectProxy;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A probe finds the dialect of a service, and the marker tells it to later processes. */
@Holds(
    "ConditionChecks, ProbeMarker, ProbedService: Writes have the form of `If-Match` and checksum "
        + "with which the store was raced. Without an accepted form the start is refused.")
class DialectTest {
  /** The dialect of Ceph RGW up to 18.2, at least. */
  private static final Dialect CEPH = new Dialect(IfMatch.BARE, Checksum.MD5);

  private static final byte[] BODY = "body".getBytes(UTF_8);

  private final S3Server server = S3Servers.require();
  private final StoreLocation.Bucket bucket = server.newBucket();
  private final RequestCounts counts = new RequestCounts();

  private ObjectStore store(DialectProxy proxy) throws IOException {
    return Stores.open(
        bucket,
        new StoreOptions(Optional.of(proxy.endpoint()), Optional.of(S3Server.REGION), true, 64));
  }

  private static S3Settings settings() throws Exception {
    return S3Settings.from(new Config(), "test");
  }

  /** Probes a store as doctor does, with races as brief as on a store that is very far away. */
  private static ProbeReport probed(ObjectStore store) throws IOException {
    AtomicLong hours = new AtomicLong();
    return StoreProbe.full(
            store, check -> {}, () -> TimeUnit.HOURS.toNanos(hours.getAndIncrement()))
        .orRefuse();
  }

  /** Opens the repositories as a process does; returns the number of requests. */
  private long open(DialectProxy proxy) throws Exception {
    long before = counts.snapshot().total();
    ObjectStore store = new ObservedObjectStore(store(proxy), counts);
    S3RepositoryManager.open(store, settings()).close();
    return counts.snapshot().total() - before;
  }

  static Stream<Dialect> dialects() {
    return Stream.of(IfMatch.values())
        .flatMap(form -> Stream.of(Checksum.values()).map(sum -> new Dialect(form, sum)));
  }

  @ParameterizedTest
  @MethodSource("dialects")
  void each_dialect_is_found_and_spoken_from_then_on(Dialect dialect) throws Exception {
    try (DialectProxy proxy = new DialectProxy(server, dialect);
        ObjectStore store = store(proxy)) {
      ProbeReport report = probed(store);
      assertThat(report.dialect()).isEqualTo(dialect);
      assertThat(report.checks()).allMatch(Check::ok);
      assertThat(store.probedService().orElseThrow().refusesWrongPut("wrong")).isTrue();
      PutOutcome.Won created = (PutOutcome.Won) store.putIf("k", BODY, Precondition.absent());
      assertThat(store.putIf("k", BODY, Precondition.matches(created.version())))
          .isInstanceOf(PutOutcome.Won.class);
    }
  }

  @Test
  void later_process_reads_the_dialect_within_12_requests_and_commits() throws Exception {
    try (DialectProxy proxy = new DialectProxy(server, CEPH);
        ObjectStore store = store(proxy)) {
      probed(store);
      assertThat(open(proxy)).isEqualTo(12);
      try (S3RepositoryManager manager = S3RepositoryManager.open(store(proxy), settings())) {
        manager.createRepository("r").close();
        manager.rename("r", "s");
        assertThat(manager.list()).containsExactly("s");
      }
    }
  }

  @Test
  void process_that_only_reads_needs_no_marker() throws Exception {
    try (DialectProxy proxy = new DialectProxy(server, CEPH);
        ObjectStore store = store(proxy)) {
      Markers.mark(store, store.service(), CEPH);
      try (S3RepositoryManager manager = S3RepositoryManager.open(store(proxy), settings())) {
        manager.createRepository("r").close();
      }
      store.delete(markers());
      ObjectStore observed = new ObservedObjectStore(store(proxy), counts);
      try (S3RepositoryManager reader = S3RepositoryManager.openReadOnly(observed, settings())) {
        assertThat(counts.snapshot().total()).isZero();
        reader.openRepository("r").close();
        assertThat(reader.list()).containsExactly("r");
      }
    }
  }

  @Test
  void marker_of_another_dialect_refuses_in_one_line_until_doctor_ran() throws Exception {
    try (DialectProxy proxy = new DialectProxy(server, CEPH);
        ObjectStore store = store(proxy)) {
      Markers.mark(store, store.service(), Dialect.S3);
      assertThatThrownBy(() -> open(proxy))
          .isInstanceOf(UnsafeStoreException.class)
          .hasMessageContaining("check 'update-race' failed: the store acknowledged 0 of 4")
          .hasMessageEndingWith("; if the server behind this address was replaced, run doctor")
          .hasMessageNotContaining("\n");

      probed(store);
      assertThat(open(proxy)).isEqualTo(12);
      assertThat(markers()).hasSize(1);
    }
  }

  @Test
  void server_that_is_replaced_under_a_running_process_accepts_no_update() throws Exception {
    try (DialectProxy before = new DialectProxy(server, Dialect.S3);
        DialectProxy after = new DialectProxy(server, CEPH);
        ObjectStore old = store(before);
        ObjectStore store = store(after)) {
      PutOutcome.Won created = (PutOutcome.Won) old.putIf("k", BODY, Precondition.absent());
      assertThat(store.putIf("k", new byte[0], Precondition.matches(created.version())))
          .isEqualTo(new PutOutcome.Lost());
      assertThat(StoreContent.bytes(store, "k")).isEqualTo(BODY);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "{}", "no JSON", "{\"dialect\":{\"ifMatch\":\"BARE\"}}"})
  void marker_that_cannot_be_understood_counts_as_absent_and_is_replaced(String content)
      throws Exception {
    try (DialectProxy proxy = new DialectProxy(server, CEPH);
        ObjectStore store = store(proxy)) {
      String service = store.service().orElseThrow();
      byte[] marker = content.getBytes(UTF_8);
      store.put(ProbeMarker.key(service), marker, 0, marker.length);
      assertThat(ProbeMarker.find(store, service)).isEmpty();
      probed(store);
      assertThat(ProbeMarker.find(store, service).orElseThrow().dialect()).isEqualTo(CEPH);
    }
  }

  /** A marker with more than this release knows tells the dialect all the same. */
  @Test
  void marker_of_a_newer_release_is_understood() throws Exception {
    try (DialectProxy proxy = new DialectProxy(server, CEPH);
        ObjectStore store = store(proxy)) {
      byte[] marker =
          "{\"region\":\"r\",\"dialect\":{\"ifMatch\":\"BARE\",\"checksum\":\"MD5\"}}"
              .getBytes(UTF_8);
      store.put(ProbeMarker.key(store.service().orElseThrow()), marker, 0, marker.length);
      assertThat(open(proxy)).isEqualTo(12);
    }
  }

  private List<String> markers() throws IOException {
    try (ObjectStore store = Stores.open(bucket, server.options())) {
      return StoreContent.keys(store, "probe/passed/");
    }
  }
}
