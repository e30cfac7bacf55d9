// SPDX-License-Identifier: Apache-2.0
package org.jgits3.maintenance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.jgits3.maintenance.MaintenanceFixture.point;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Set;
import java.util.TreeSet;
import org.eclipse.jgit.lib.NullProgressMonitor;
import org.jgits3.S3Repository;
import org.jgits3.S3RepositoryManager;
import org.jgits3.TestRepositories;
import org.jgits3.internal.commit.CommitPolicy;
import org.jgits3.internal.commit.ManifestCommitter;
import org.jgits3.internal.commit.StoredManifest;
import org.jgits3.internal.store.file.DirectoryObjectStore;
import org.jgits3.manifest.ManifestException;
import org.jgits3.manifest.ObjectNames;
import org.jgits3.manifest.RepositoryName;
import org.jgits3.store.DelegatingObjectStore;
import org.jgits3.store.ObjectStore;
import org.jgits3.store.StoreException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Sweeps of a store in which manifests were put back, or which was restored from a copy that was
 * taken during a rename. The codes are those of the model of names.
 */
class SweepAfterRestoreTest {
  private static final Duration DAY = Duration.ofDays(1);

  @TempDir Path directory;
  private ObjectStore plain;

  @BeforeEach
  void open() throws IOException {
    plain = new DirectoryObjectStore(directory);
  }

  /** The work of one process on the store, from its start to its end. */
  @FunctionalInterface
  private interface Work {
    void with(S3RepositoryManager manager) throws IOException;
  }

  private void process(Work work) throws Exception {
    try (S3RepositoryManager manager =
        MaintenanceFixture.manager(new DirectoryObjectStore(directory))) {
      work.with(manager);
    }
  }

  private Path manifest(String name) {
    return directory.resolve("repos/" + name + ".git/manifest");
  }

  private String repositoryId(String name) throws IOException {
    return StoredManifest.read(plain, name).repositoryId();
  }

  private static void push(S3RepositoryManager manager, String name, String ref)
      throws IOException {
    try (S3Repository r = manager.openForRequest(name)) {
      point(r, ref, TestRepositories.commit(r, name + " " + ref));
    }
  }

  private static void init(S3RepositoryManager manager, String name) throws IOException {
    manager.createRepository(name).close();
    push(manager, name, "refs/heads/main");
  }

  /** Sweeps every name until nothing more would go. */
  private static void sweepAll(S3RepositoryManager manager) throws IOException {
    for (int i = 0; i < 3; i++) {
      try (FleetPass pass = manager.sweepPass(true)) {
        for (var name = pass.next(); name.isPresent(); name = pass.next()) {
          manager.sweep(pass.nameIndex(), name.get(), Duration.ZERO, false);
        }
      }
    }
  }

  private static void isSound(S3RepositoryManager manager, String name) throws IOException {
    assertThat(manager.maintenance(name).verify(NullProgressMonitor.INSTANCE).findings()).isEmpty();
  }

  private Set<String> objects(String repositoryId) throws IOException {
    Set<String> keys = new TreeSet<>();
    plain.list(ObjectNames.prefix(repositoryId), object -> keys.add(object.key()));
    keys.removeIf(key -> key.contains("/sweep/"));
    return keys;
  }

  @Test
  void N1_a_repository_put_back_outlives_the_sweep_of_the_one_that_had_its_name_after_it()
      throws Exception {
    process(manager -> init(manager, "a"));
    byte[] old = Files.readAllBytes(manifest("a"));
    process(
        manager -> {
          manager.delete("a");
          init(manager, "a");
          manager.rename("a", "b");
        });
    Files.write(manifest("a"), old);
    process(
        manager -> {
          sweepAll(manager);
          isSound(manager, "a");
          isSound(manager, "b");
          push(manager, "a", "refs/heads/other");
        });
    String repositoryId = repositoryId("a");
    process(
        manager -> {
          manager.delete("a");
          sweepAll(manager);
          isSound(manager, "b");
        });
    assertThat(objects(repositoryId)).isEmpty();
  }

  @Test
  void N2_of_a_repository_with_two_names_a_sweep_deletes_nothing() throws Exception {
    twoNames();
    process(
        manager -> {
          for (String name : new String[] {"a", "b"}) {
            for (boolean dryRun : new boolean[] {true, false}) {
              assertThatThrownBy(() -> manager.sweep(name, Duration.ZERO, dryRun))
                  .isInstanceOf(ManifestException.class)
                  .hasMessageContaining("a and b hold the same repository")
                  .hasMessageContaining("nothing was swept");
            }
          }
          isSound(manager, "a");
          isSound(manager, "b");
        });
  }

  /** Leaves a copy that was taken while a was renamed to b, to both of which is pushed. */
  private void twoNames() throws Exception {
    process(manager -> init(manager, "a"));
    byte[] old = Files.readAllBytes(manifest("a"));
    process(manager -> manager.rename("a", "b"));
    Files.write(manifest("a"), old);
    process(
        manager -> {
          push(manager, "a", "refs/heads/a");
          push(manager, "b", "refs/heads/b");
          MaintenanceFixture.gc(manager, "a");
          push(manager, "a", "refs/heads/a2");
        });
  }

  @ParameterizedTest
  @ValueSource(strings = {"a", "b"})
  void N2_when_one_of_two_names_is_deleted_the_other_keeps_what_it_lists(String deleted)
      throws Exception {
    twoNames();
    String kept = deleted.equals("a") ? "b" : "a";
    String repositoryId = repositoryId(kept);
    process(
        manager -> {
          manager.delete(deleted);
          sweepAll(manager);
          isSound(manager, kept);
          push(manager, kept, "refs/heads/more");
          sweepAll(manager);
          isSound(manager, kept);
          manager.delete(kept);
          sweepAll(manager);
        });
    assertThat(objects(repositoryId)).isEmpty();
  }

  @Test
  void N2_a_tombstone_does_not_end_a_life_that_another_name_holds() throws Exception {
    process(manager -> init(manager, "a"));
    byte[] old = Files.readAllBytes(manifest("a"));
    process(
        manager -> {
          manager.rename("a", "b");
          manager.delete("b");
        });
    Files.write(manifest("a"), old);
    process(
        manager -> {
          assertThat(manager.sweep("b", Duration.ZERO, true).orElseThrow().objects()).isZero();
          sweepAll(manager);
          isSound(manager, "a");
          manager.createRepository("b").close(); // leaves a note of the repository deleted before
          sweepAll(manager);
          isSound(manager, "a");
        });
  }

  @Test
  void an_end_that_a_restore_has_undone_does_not_count_for_the_next() throws Exception {
    process(manager -> init(manager, "r"));
    byte[] old = Files.readAllBytes(manifest("r"));
    String repositoryId = repositoryId("r");
    process(manager -> manager.delete("r"));
    sweepDeleted(0);
    Files.write(manifest("r"), old);
    process(manager -> push(manager, "r", "refs/heads/later"));
    process(manager -> manager.delete("r"));
    Set<String> left = objects(repositoryId);
    sweepDeleted(100);
    sweepDeleted(123);
    assertThat(objects(repositoryId)).isEqualTo(left);
    sweepDeleted(125);
    assertThat(objects(repositoryId)).isEmpty();
  }

  private void sweepDeleted(int hours) throws IOException {
    Instant now = Instant.parse("2030-01-01T00:00:00Z").plus(Duration.ofHours(hours));
    new Sweep(plain, NameIndex.read(plain), () -> now)
        .runDeleted(StoredManifest.readVersioned(plain, "r"), DAY, false);
  }

  /** A store that says that objects were deleted, and keeps them. */
  private static final class Retaining extends DelegatingObjectStore {
    private int deletions;

    Retaining(ObjectStore store) {
      super(store);
    }

    @Override
    public void delete(Collection<String> keys) {
      deletions++;
    }
  }

  @Test
  void a_store_that_keeps_what_it_reports_deleted_ends_a_sweep_with_one_error() throws Exception {
    process(
        manager -> {
          init(manager, "r");
          push(manager, "r", "refs/heads/a");
          MaintenanceFixture.gc(manager, "r");
          manager.sweep("r", Duration.ZERO, false);
          push(manager, "r", "refs/heads/b");
          MaintenanceFixture.gc(manager, "r");
        });
    Retaining store = new Retaining(plain);
    Sweep sweep = new Sweep(store, NameIndex.read(store), Instant::now);
    try (ManifestCommitter committer =
        new ManifestCommitter(store, RepositoryName.of("r"), CommitPolicy.DEFAULT)) {
      assertThatThrownBy(() -> sweep.run(committer, Duration.ZERO, false))
          .isInstanceOf(StoreException.Refused.class)
          .hasMessageContaining("is still listed after the store has reported it deleted");
    }
    assertThat(store.deletions).isOne();
    process(manager -> isSound(manager, "r"));
  }
}
