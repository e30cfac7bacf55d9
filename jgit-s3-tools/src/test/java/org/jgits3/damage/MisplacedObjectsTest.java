// SPDX-License-Identifier: Apache-2.0
package org.jgits3.damage;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.eclipse.jgit.errors.RepositoryNotFoundException;
import org.eclipse.jgit.lib.NullProgressMonitor;
import org.eclipse.jgit.lib.ObjectId;
import org.jgits3.Purpose;
import org.jgits3.S3Repository;
import org.jgits3.S3RepositoryManager;
import org.jgits3.TestRepositories;
import org.jgits3.history.RepositoryChange;
import org.jgits3.history.StoreChanges;
import org.jgits3.manifest.ManifestException;
import org.jgits3.manifest.ObjectNames;
import org.jgits3.manifest.RepositoryName;
import org.jgits3.store.MemoryObjectStore;
import org.jgits3.verify.NameCheck;
import org.jgits3.verify.Verification;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Manifests under other ids and pointers under other names, as a bad restoration of a bucket leaves
 * them, and processes that have just started.
 */
class MisplacedObjectsTest {
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
    REQUEST((m, name) -> m.openRepository(name, Purpose.request()).close()),
    FETCH((m, name) -> m.openRepository(name, Purpose.fetch()).close()),
    PUSH((m, name) -> push(m, name)),
    COLLECTION((m, name) -> m.maintenance(name).collectGarbage(NullProgressMonitor.INSTANCE)),
    VERIFICATION((m, name) -> new Verification(m, NullProgressMonitor.INSTANCE).run(name)),
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
    try (S3Repository r = manager.openRepository(name, Purpose.push())) {
      StoredSample.point(r, "refs/heads/pushed", TestRepositories.commit(r, "pushed"));
    }
  }

  private static String manifest(String name) throws IOException {
    return sample.manifestKey(name);
  }

  private static String pointer(String name) {
    return RepositoryName.of(name).pointerKey();
  }

  private void put(String from, String to) throws IOException {
    byte[] bytes = sample.bytes(from);
    store.put(to, bytes, 0, bytes.length);
  }

  /** In a process of its own. */
  private void process(Work work, String name) throws Exception {
    try (S3RepositoryManager manager = TestRepositories.manager(store)) {
      work.with(manager, name);
    }
  }

  private Map<String, String> objects() throws IOException {
    Map<String, String> objects = new TreeMap<>();
    for (String key : StoredSample.keys(store)) {
      objects.put(key, new String(StoredSample.bytes(store, key), ISO_8859_1));
    }
    return objects;
  }

  private void isAsBefore() throws Exception {
    for (String name : List.of(NAME, OTHER)) {
      process(
          (manager, each) -> {
            try (S3Repository r = manager.openRepository(each)) {
              assertThat(Picture.of(r)).isEqualTo(truth.get(each));
            }
            assertThat(new Verification(manager, NullProgressMonitor.INSTANCE).run(each).findings())
                .isEmpty();
            assertThat(new NameCheck(manager.store()).run(false)).isEmpty();
          },
          name);
    }
  }

  @ParameterizedTest
  @EnumSource
  void exchanged_manifests_are_refused_and_right_when_they_are_put_back(Use use) throws Exception {
    put(manifest(NAME), manifest(OTHER));
    put(manifest(OTHER), manifest(NAME));
    Map<String, String> before = objects();
    for (String name : List.of(NAME, OTHER)) {
      assertThatIOException()
          .as("%s of %s", use, name)
          .isThrownBy(() -> process(use.work, name))
          .isInstanceOf(ManifestException.Corrupt.class)
          .withMessageContaining(manifest(name))
          .withMessageContaining(
              "is the manifest of repository " + id(name.equals(NAME) ? OTHER : NAME));
    }
    assertThat(objects()).isEqualTo(before);
    put(manifest(NAME), manifest(NAME));
    put(manifest(OTHER), manifest(OTHER));
    isAsBefore();
  }

  private static String id(String name) throws IOException {
    return ObjectNames.repositoryIdOfManifest(manifest(name)).orElseThrow();
  }

  @Test
  void every_misplaced_manifest_is_reported_and_followers_are_told() throws Exception {
    put(manifest(NAME), manifest(OTHER));
    put(manifest(OTHER), manifest(NAME));
    process(
        (manager, any) -> {
          assertThat(new NameCheck(manager.store()).run(true))
              .extracting(NameCheck.Finding::key, NameCheck.Finding::repaired)
              .containsExactlyInAnyOrder(
                  tuple(manifest(NAME), false), tuple(manifest(OTHER), false));
          List<String> unavailable = new ArrayList<>();
          StoreChanges changes = manager.storeHistory().since(manager.storeHistory().start());
          for (var next = changes.next(); next.isPresent(); next = changes.next()) {
            if (next.get().kind() == RepositoryChange.Kind.UNAVAILABLE) {
              unavailable.add(next.get().repositoryId());
            }
          }
          assertThat(unavailable).containsExactlyInAnyOrder(id(NAME), id(OTHER));
        },
        NAME);
  }

  @Test
  void name_with_the_pointer_of_another_stands_for_nothing_and_can_be_taken() throws Exception {
    put(pointer(NAME), pointer(NEW));
    for (Use use : List.of(Use.REFS, Use.REQUEST, Use.PUSH, Use.SWEEP)) {
      assertThatThrownBy(() -> process(use.work, NEW))
          .isInstanceOf(RepositoryNotFoundException.class);
    }
    List<Work> changes = List.of(Use.DELETION.work, (m, name) -> m.rename(name, "newer"));
    for (Work change : changes) {
      assertThatThrownBy(() -> process(change, NEW)).isInstanceOf(ManifestException.Gone.class);
    }
    process(Use.CREATION.work, NEW);
    isAsBefore();
  }

  @Test
  void exchanged_pointers_are_reported_and_repaired() throws Exception {
    put(pointer(NAME), pointer(OTHER));
    put(pointer(OTHER), pointer(NAME));
    process(
        (manager, name) -> {
          assertThatThrownBy(() -> refs(manager, name))
              .isInstanceOf(RepositoryNotFoundException.class);
          assertThat(new NameCheck(manager.store()).run(false))
              .extracting(NameCheck.Finding::key, NameCheck.Finding::repaired)
              .containsExactlyInAnyOrder(tuple(pointer(NAME), false), tuple(pointer(OTHER), false));
          assertThat(new NameCheck(manager.store()).run(true))
              .extracting(NameCheck.Finding::repaired)
              .containsExactly(true, true);
        },
        NAME);
    isAsBefore();
  }
}
