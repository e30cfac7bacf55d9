// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.store.probe;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.URI;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import org.eclipse.jgit.lib.Config;
import org.jgits3.S3RepositoryManager;
import org.jgits3.S3Settings;
import org.jgits3.Stores;
import org.jgits3.internal.store.metrics.ObservedObjectStore;
import org.jgits3.internal.store.metrics.RequestCounts;
import org.jgits3.store.ConcurrentTasks;
import org.jgits3.store.DelegatingObjectStore;
import org.jgits3.store.GetResult;
import org.jgits3.store.MemoryObjectStore;
import org.jgits3.store.ObjectStore;
import org.jgits3.store.ObjectVersion;
import org.jgits3.store.StoreContent;
import org.jgits3.store.StoreException;
import org.jgits3.store.StoreLocation;
import org.jgits3.store.StoreOptions;
import org.jgits3.store.UnsafeStoreException;
import org.jgits3.testing.Holds;
import org.jgits3.testing.S3Server;
import org.jgits3.testing.S3Servers;
import org.jgits3.testing.signed.UnsafeProxy;
import org.jgits3.testing.signed.UnsafeProxy.Fault;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A store is probed in full before its first use, and leaves a marker if it passes. */
@Holds(
    "StoreProbe, ProbeMarker, RaceChecks: Nothing of a repository is written to a store that was "
        + "not raced at this address")
class FirstUseTest {
  private final S3Server server = S3Servers.require();
  private final StoreLocation.Bucket bucket = server.newBucket();
  private final RequestCounts counts = new RequestCounts();

  private List<String> keys() throws IOException {
    try (ObjectStore store = Stores.open(bucket, server.options())) {
      return StoreContent.keys(store, "");
    }
  }

  private static StoreOptions options(URI endpoint) {
    return new StoreOptions(Optional.of(endpoint), Optional.of(S3Server.REGION), true, 64);
  }

  private static S3Settings settings() throws Exception {
    return S3Settings.from(new Config(), "test");
  }

  /** Opens the repositories as an embedder does; returns the number of requests. */
  private long open(StoreOptions options) throws Exception {
    long before = counts.snapshot().total();
    ObjectStore store = new ObservedObjectStore(Stores.open(bucket, options), counts);
    S3RepositoryManager.open(store, settings()).close();
    return counts.snapshot().total() - before;
  }

  private void assertRefused(UnsafeProxy proxy, String why) {
    assertThatThrownBy(() -> open(options(proxy.endpoint())))
        .as("%s", proxy)
        .isInstanceOf(UnsafeStoreException.class)
        .hasMessageContaining(why)
        .hasMessageNotContaining("\n");
  }

  private UnsafeProxy proxy(Fault fault, double share) {
    return new UnsafeProxy(server, fault, share, ThreadLocalRandom.current().nextLong());
  }

  @ParameterizedTest
  @ValueSource(doubles = {1, 0.1, 0.01})
  void store_that_checks_before_it_writes_is_refused_and_left_empty(double share) throws Exception {
    try (UnsafeProxy proxy = proxy(Fault.CHECKS_FIRST, share)) {
      assertRefused(proxy, "-race' failed");
    }
    assertThat(keys()).isEmpty();
  }

  @Test
  void first_use_leaves_a_marker_and_the_next_takes_12_requests() throws Exception {
    assertThat(open(server.options())).isGreaterThan(1_000);
    assertThat(keys()).singleElement().asString().startsWith("probe/passed/");
    try (ObjectStore store = Stores.open(bucket, server.options())) {
      GetResult marker = store.get(keys().get(0), Optional.empty());
      assertThat(new String(((GetResult.Found) marker).bytes(), UTF_8))
          .contains(server.endpoint() + "/" + bucket.bucket(), "\"version\"", "\"probed\"")
          .contains("create-race", "update-race", "put-checksum", "multipart-abort");
    }
    assertThat(open(server.options())).isEqualTo(12);
  }

  @Test
  void doctor_leaves_the_marker_as_well() throws Exception {
    try (ObjectStore store = Stores.open(bucket, server.options())) {
      StoreProbe.full(store).orRefuse();
    }
    assertThat(open(server.options())).isEqualTo(12);
  }

  @Test
  void marked_store_that_ignores_conditions_now_is_refused_in_a_brief_race() throws Exception {
    try (UnsafeProxy proxy = proxy(Fault.STRIPS_CONDITIONS, 1);
        ObjectStore store = Stores.open(bucket, options(proxy.endpoint()))) {
      Markers.mark(store, store.service());
      assertRefused(proxy, "check 'create-race' failed");
    }
  }

  @Test
  void marker_of_another_endpoint_is_not_believed() throws Exception {
    try (UnsafeProxy proxy = proxy(Fault.CHECKS_FIRST, 0.1);
        ObjectStore store = Stores.open(bucket, server.options())) {
      Markers.mark(store, store.service());
      assertRefused(proxy, "-race' failed");
    }
  }

  @Test
  void marker_that_may_not_be_looked_for_counts_as_absent() throws Exception {
    ObjectStore good = new MemoryObjectStore();
    ObjectStore store =
        new DelegatingObjectStore(good) {
          @Override
          public GetResult get(String key, Optional<ObjectVersion> known) throws IOException {
            if (key.startsWith("probe/passed/")) {
              throw new StoreException.Refused(key, "403 Forbidden", null);
            }
            return super.get(key, known);
          }
        };
    StoreProbe.admit(store);
    List<String> keys = StoreContent.keys(good, "probe/passed/");
    assertThat(keys).hasSize(1);
  }

  @Test
  void two_processes_on_a_fresh_store_both_open_it() throws Exception {
    ConcurrentTasks.run(2, process -> open(server.options()));
    assertThat(keys()).singleElement().asString().startsWith("probe/passed/");
    assertThat(open(server.options())).isEqualTo(12);
  }
}
