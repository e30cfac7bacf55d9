// SPDX-License-Identifier: Apache-2.0
package org.jgits3.history;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import org.jgits3.internal.refs.log.LogObjects;
import org.jgits3.internal.store.metrics.ObservedObjectStore;
import org.jgits3.internal.store.metrics.RequestCounts;
import org.jgits3.internal.store.upload.PackUploads;
import org.jgits3.manifest.VersionedManifest;
import org.jgits3.store.MadeUpRepositories;
import org.jgits3.store.ObjectStore;
import org.jgits3.store.ObjectVersion;
import org.jgits3.store.UploadOptions;
import org.jgits3.testing.ForkedJvm;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tests that followers of very many repositories need little memory and few requests. */
class ManyRepositoriesTest {
  @Test
  void a_hundred_thousand_repositories_are_followed_in_a_small_heap() throws Exception {
    follows(100_000, "-Xmx128m");
  }

  @Test
  @Tag("long") // a_hundred_thousand_repositories_are_followed_in_a_small_heap is smaller
  void a_million_repositories_are_followed_within_300_MB() throws Exception {
    follows(1_000_000, "-Xmx300m");
  }

  private static void follows(int repositories, String heap) throws Exception {
    List<String> options = MadeUpRepositories.options(repositories, heap);
    assertThat(ForkedJvm.run(options, Follower.class, Integer.toString(repositories)))
        .contains("idle poll: " + repositories / 1000 + " requests: " + repositories / 1000)
        .contains("1,000 changes: ");
  }

  /** Follows repositories that a listing and manifests are made up for. */
  static final class Follower implements StoreHistory.Manifests {
    private static final int CHANGED = 1000;

    private final int repositories;
    private final MadeUpRepositories made;
    private int generation = 1; // of every thousandth repository, or so

    private Follower(int repositories) {
      this.repositories = repositories;
      this.made = new MadeUpRepositories(repositories, this::generation);
    }

    public static void main(String[] args) throws IOException {
      new Follower(Integer.parseInt(args[0])).run();
    }

    private void run() throws IOException {
      RequestCounts counts = new RequestCounts();
      ObjectStore store = new ObservedObjectStore(made, counts);
      LogObjects log = new LogObjects(store, new PackUploads(store, UploadOptions.DEFAULT));
      StoreHistory history = new StoreHistory(store, this, true, log);
      StoreCursor now = StoreCursor.parse(history.now().toBytes());
      var before = counts.snapshot();
      long began = System.nanoTime();
      StoreChanges idle = history.since(now);
      assertThat(idle.next()).isEmpty();
      say("idle poll: %s, %d ms", counts.snapshot().since(before), millis(began));
      generation = 2;
      began = System.nanoTime();
      StoreChanges changes = history.since(now);
      int changed = 0;
      while (changes.next().isPresent()) {
        changed++;
      }
      int stored = changes.end().toBytes().length;
      say("%,d changes: %d ms, cursor of %,d bytes", changed, millis(began), stored);
    }

    private static void say(String format, Object... args) {
      System.out.println(String.format(java.util.Locale.ROOT, format, args));
    }

    private static long millis(long began) {
      return (System.nanoTime() - began) / 1_000_000;
    }

    private int generation(int i) {
      return i % (repositories / CHANGED) == 0 ? generation : 1;
    }

    @Override
    public Optional<VersionedManifest> read(
        String repositoryId, Optional<String> name, Predicate<ObjectVersion> newest) {
      return Optional.of(made.manifest(MadeUpRepositories.number(repositoryId)));
    }

    @Override
    public boolean isOwn(String repositoryId, String name, long of) {
      return false;
    }
  }
}
