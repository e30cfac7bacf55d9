// SPDX-License-Identifier: Apache-2.0
package org.jgits3.damage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.eclipse.jgit.lib.NullProgressMonitor;
import org.eclipse.jgit.lib.ObjectId;
import org.jgits3.S3Repository;
import org.jgits3.S3RepositoryManager;
import org.jgits3.TestRepositories;
import org.jgits3.history.RepositoryChange;
import org.jgits3.history.StoreChanges;
import org.jgits3.internal.commit.ManifestFixture;
import org.jgits3.maintenance.NameIndex;
import org.jgits3.manifest.ManifestException;
import org.jgits3.manifest.RepositoryName;
import org.jgits3.store.MemoryObjectStore;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Manifests under the names of others, as a bad restoration of a bucket leaves them, and processes
 * that have just started. Case N8 of the model of names.
 */
class MisplacedManifestTest {
  private static final String NAME = StoredSample.NAME;
  private static final String OTHER = StoredSample.OTHER;
  private static final String NEW = "new";

  private static StoredSample sample;
  private static Map<String, Picture> truth;

  private MemoryObjectStore store;

  @BeforeAll
  static void write() throws Exception {
    sample = new StoredSample();
    truth = new TreeMap<>();
    try (S3RepositoryManager manager = TestRepositories.manager(sample.copy())) {
      for (String name : List.of(NAME, OTHER)) {
        try (S3Repository r = manager.openRepository(name)) {
          truth.put(name, Picture.of(r));
        }
      }
    }
  }

  @BeforeEach
  void copy() throws IOException {
    store = sample.copy();
  }

  /** Everything that begins with reading the manifest of a name. */
  @SuppressWarnings("ImmutableEnumChecker") // functions of nothing but their arguments
  enum Use {
    REFS((m, name) -> refs(m, name)),
    REQUEST((m, name) -> m.openForRequest(name).close()),
    FETCH((m, name) -> m.openForFetch(name).close()),
    PUSH((m, name) -> push(m, name)),
    COLLECTION((m, name) -> m.maintenance(name).collectGarbage(NullProgressMonitor.INSTANCE)),
    VERIFICATION((m, name) -> m.maintenance(name).verify(NullProgressMonitor.INSTANCE)),
    SWEEP((m, name) -> m.sweep(name, Duration.ZERO, false)),
    RENAME((m, name) -> m.rename(name, NEW)),
    RENAME_TO_IT((m, name) -> m.rename("again", name)),
    DELETION((m, name) -> m.delete(name)),
    CREATION((m, name) -> m.createRepository(name).close());

    private final Work work;

    Use(Work work) {
      this.work = work;
    }
  }

  @FunctionalInterface
  private interface Work {
    void with(S3RepositoryManager manager, String name) throws Exception;
  }

  private static Map<String, ObjectId> refs(S3RepositoryManager manager, String name)
      throws Exception {
    try (S3Repository r = manager.openRepository(name)) {
      return Picture.refs(r);
    }
  }

  private static void push(S3RepositoryManager manager, String name) throws Exception {
    try (S3Repository r = manager.openForPush(name)) {
      StoredSample.point(r, "refs/heads/pushed", TestRepositories.commit(r, "pushed"));
    }
  }

  private static String key(String name) {
    return RepositoryName.of(name).manifestKey();
  }

  private void put(String from, String to) throws IOException {
    byte[] bytes = sample.bytes(key(from));
    store.put(key(to), bytes, 0, bytes.length);
  }

  /** In a process of its own. */
  private void process(Work work, String name) throws Exception {
    try (S3RepositoryManager manager = TestRepositories.manager(store)) {
      work.with(manager, name);
    }
  }

  private void refuses(Use use, String name, String written) {
    assertThatIOException()
        .as("%s of %s", use, name)
        .isThrownBy(() -> process(use.work, name))
        .isInstanceOf(ManifestException.Corrupt.class)
        .withMessageContaining(key(name))
        .withMessageContaining("is the manifest of " + written + " under the name " + name + ":");
  }

  private void keepsEverything(Map<String, byte[]> before) throws IOException {
    for (Map.Entry<String, byte[]> object : before.entrySet()) {
      assertThat(StoredSample.bytes(store, object.getKey()))
          .as(object.getKey())
          .isEqualTo(object.getValue());
    }
  }

  private Map<String, byte[]> objects() throws IOException {
    Map<String, byte[]> objects = new TreeMap<>();
    for (String key : StoredSample.keys(store)) {
      objects.put(key, StoredSample.bytes(store, key));
    }
    return objects;
  }

  @ParameterizedTest
  @EnumSource
  void exchanged_manifests_are_refused_and_right_when_they_are_put_back(Use use) throws Exception {
    put(NAME, OTHER);
    put(OTHER, NAME);
    Map<String, byte[]> before = objects();
    refuses(use, NAME, OTHER);
    refuses(use, OTHER, NAME);
    keepsEverything(before);
    put(NAME, NAME);
    put(OTHER, OTHER);
    for (String name : List.of(NAME, OTHER)) {
      process(
          (manager, each) -> {
            try (S3Repository r = manager.openRepository(each)) {
              assertThat(Picture.of(r)).isEqualTo(truth.get(each));
            }
            assertThat(manager.maintenance(each).verify(NullProgressMonitor.INSTANCE).findings())
                .isEmpty();
          },
          name);
    }
  }

  @ParameterizedTest
  @EnumSource
  void tombstone_of_another_repository_is_refused(Use use) throws Exception {
    put(StoredSample.DELETED, NAME);
    Map<String, byte[]> before = objects();
    refuses(use, NAME, StoredSample.DELETED);
    keepsEverything(before);
  }

  @ParameterizedTest
  @EnumSource
  void manifest_in_place_of_a_tombstone_or_of_none_is_refused(Use use) throws Exception {
    for (String name : List.of(StoredSample.DELETED, "none")) {
      put(NAME, name);
      Map<String, byte[]> before = objects();
      refuses(use, name, NAME);
      keepsEverything(before);
    }
  }

  @Test
  void process_that_knows_the_right_manifest_refuses_another() throws Exception {
    process(
        (manager, name) -> {
          refs(manager, name);
          put(OTHER, name);
          for (Use use : List.of(Use.REFS, Use.REQUEST, Use.PUSH)) {
            assertThatIOException()
                .isThrownBy(() -> use.work.with(manager, name))
                .withStackTraceContaining("the manifest of " + OTHER + " under the name " + name);
          }
          assertThat(StoredSample.bytes(store, key(name))).isEqualTo(sample.bytes(key(OTHER)));
        },
        NAME);
  }

  @Test
  void repository_of_a_misplaced_manifest_is_not_swept_and_others_are() throws Exception {
    put(NAME, OTHER);
    Map<String, byte[]> before = objects();
    assertThatIOException()
        .isThrownBy(() -> process(Use.SWEEP.work, NAME))
        .withMessageContaining("is the manifest of " + NAME + " under the name " + OTHER);
    keepsEverything(before);
    process(Use.SWEEP.work, "again");
  }

  @Test
  void every_misplaced_manifest_is_reported_and_followers_are_told() throws Exception {
    put(NAME, OTHER);
    put(OTHER, NAME);
    assertThat(NameIndex.read(store).contradictions())
        .extracting(NameIndex.Contradiction::key)
        .containsExactly(key(OTHER), key(NAME));
    process(
        (manager, any) -> {
          List<String> unavailable = new ArrayList<>();
          StoreChanges changes = manager.storeHistory().since(manager.storeHistory().start());
          for (var next = changes.next(); next.isPresent(); next = changes.next()) {
            if (next.get().kind() == RepositoryChange.Kind.UNAVAILABLE) {
              unavailable.add(next.get().name());
            }
          }
          assertThat(unavailable).containsExactlyInAnyOrder(NAME, OTHER);
        },
        NAME);
  }

  @ParameterizedTest
  @ValueSource(strings = {"grün", "\"", "🚀/x", "a b"})
  void renamed_repository_is_bound_to_its_new_name(String name) throws Exception {
    process((manager, from) -> manager.rename(from, name), NAME);
    process((manager, to) -> assertThat(refs(manager, to)).isEqualTo(truth.get(NAME).refs()), name);
    store.put(key(NEW), StoredSample.bytes(store, key(name)), 0, size(name));
    refuses(Use.REFS, NEW, name);
  }

  private int size(String name) throws IOException {
    return StoredSample.bytes(store, key(name)).length;
  }

  @Test
  void repository_of_a_version_that_wrote_no_names_is_bound_by_its_next_commit() throws Exception {
    ObjectNode json = (ObjectNode) new ObjectMapper().readTree(sample.bytes(key(NAME)));
    json.remove("bound");
    byte[] unbound = ManifestFixture.bytes(json);
    store.put(key(NAME), unbound, 0, unbound.length);
    process(Use.REFS.work, NAME);
    process(Use.PUSH.work, NAME);
    store.put(key(OTHER), StoredSample.bytes(store, key(NAME)), 0, size(NAME));
    refuses(Use.REFS, OTHER, NAME);
  }
}
