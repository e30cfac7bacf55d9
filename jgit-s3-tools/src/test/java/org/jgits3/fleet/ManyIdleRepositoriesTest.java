// SPDX-License-Identifier: Apache-2.0
package org.jgits3.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jgits3.internal.store.metrics.ObservedObjectStore;
import org.jgits3.internal.store.metrics.RequestCounts;
import org.jgits3.maintenance.UpToDate;
import org.jgits3.manifest.VersionedManifest;
import org.jgits3.store.MadeUpRepositories;
import org.jgits3.store.ObjectStore;
import org.jgits3.testing.ForkedJvm;
import org.jgits3.testing.Holds;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Passes over very many repositories that nothing happened to need little memory and time. */
@Holds(
    "FleetPass, Claims: A pass over a million idle repositories takes at most 1,002 requests and "
        + "300 MB of heap")
class ManyIdleRepositoriesTest {
  @Test
  void pass_over_20000_idle_repositories_is_a_listing_in_a_small_heap() throws Exception {
    passes(20_000, "-Xmx32m", "gc", "");
  }

  @Test
  void sweep_over_20000_idle_repositories_is_a_listing_in_a_small_heap() throws Exception {
    passes(20_000, "-Xmx32m", "sweep", ", 1 LIST_MULTIPART");
  }

  @Test
  @Tag("long") // sweep_over_20000_idle_repositories_is_a_listing_in_a_small_heap
  void sweep_over_a_million_idle_repositories_is_a_listing_within_300_MB() throws Exception {
    passes(1_000_000, "-Xmx300m", "sweep", ", 1 LIST_MULTIPART");
  }

  private static void passes(int repositories, String heap, String kind, String more)
      throws Exception {
    List<String> options = MadeUpRepositories.options(repositories, heap);
    int pages = repositories / 1000;
    int requests = pages + (more.isEmpty() ? 1 : 2);
    assertThat(ForkedJvm.run(options, Passes.class, Integer.toString(repositories), kind))
        .contains("idle pass: " + requests + " requests: 1 GET" + more + ", " + pages + " LIST")
        .contains("given: 0");
  }

  /** Passes over repositories that a listing is made up for. */
  static final class Passes {
    private final int repositories;
    private final String kind;

    private Passes(int repositories, String kind) {
      this.repositories = repositories;
      this.kind = kind;
    }

    public static void main(String[] args) throws IOException {
      new Passes(Integer.parseInt(args[0]), args[1]).run();
    }

    private void run() throws IOException {
      RequestCounts counts = new RequestCounts();
      MadeUpRepositories made = new MadeUpRepositories(repositories, i -> 1);
      ObjectStore store = new ObservedObjectStore(made, counts);
      try (FleetPass first = begin(store)) {
        for (int i = 0; first.next().isPresent(); i++) {
          VersionedManifest manifest = made.manifest(i);
          first.done(manifest.manifest().repositoryId(), Optional.of(UpToDate.forGood(manifest)));
        }
        first.save();
      }
      var before = counts.snapshot();
      long began = System.nanoTime();
      FleetPass idle = begin(store);
      boolean any = idle.next().isPresent();
      idle.save();
      assertThat(any).isFalse();
      say("idle pass: %s, %d ms", counts.snapshot().since(before), millis(began));
      say("given: %d of %,d", idle.given(), idle.repositories());
      say("state: %,d bytes", store.stat("scan/" + kind).orElseThrow().size());
    }

    private FleetPass begin(ObjectStore store) throws IOException {
      boolean sweeps = kind.equals("sweep");
      return FleetPass.begin(
          store, new FleetPass.Options(kind, "", true, sweeps, false), Instant::now);
    }

    private static void say(String format, Object... args) {
      System.out.println(String.format(Locale.ROOT, format, args));
    }

    private static long millis(long began) {
      return (System.nanoTime() - began) / 1_000_000;
    }
  }
}
