// SPDX-License-Identifier: Apache-2.0
package org.jgits3.micrometer;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.eclipse.jgit.lib.Config;
import org.jgits3.S3Repository;
import org.jgits3.S3RepositoryManager;
import org.jgits3.S3Settings;
import org.jgits3.Stores;
import org.jgits3.TestRepositories;
import org.jgits3.store.MemoryObjectStore;
import org.jgits3.store.ObjectStore;
import org.junit.jupiter.api.Test;

/** Meters as an embedder binds them. */
class MetersTest {
  private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

  private double requests(String kind) {
    return registry.get("jgits3.store.requests").tag("kind", kind).timers().stream()
        .mapToDouble(timer -> (double) timer.count())
        .sum();
  }

  @Test
  void meters_of_a_store_and_its_requests_tell_what_happened() throws Exception {
    ObjectStore store = Stores.observed(new MemoryObjectStore(), new RequestMeters(registry));
    new BlockCacheMeters().bindTo(registry);
    try (S3RepositoryManager manager =
        S3RepositoryManager.open(store, S3Settings.from(new Config(), "test"))) {
      new StoreMeters(manager).bindTo(registry);
      double before = requests("put_if");
      try (S3Repository r = manager.createRepository("r")) {
        TestRepositories.commit(r, "first");
        assertThat(requests("put_if") - before).as("name, manifest, pack").isEqualTo(3);
        assertThat(registry.get("jgits3.memory.size").tag("use", "manifests").gauge().value())
            .isPositive();
      }
      assertThat(registry.getMeters())
          .extracting(Meter::getId)
          .extracting(Meter.Id::getName)
          .contains("jgits3.refs.folds", "jgits3.upload.waiting", "jgits3.blockcache.lookups");
    }
  }
}
