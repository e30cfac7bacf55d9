// SPDX-License-Identifier: Apache-2.0
package org.jgits3.verify;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.eclipse.jgit.internal.storage.dfs.DfsBlockCache;
import org.eclipse.jgit.internal.storage.dfs.DfsBlockCacheConfig;
import org.eclipse.jgit.lib.Constants;
import org.eclipse.jgit.lib.EmptyProgressMonitor;
import org.eclipse.jgit.lib.FileMode;
import org.eclipse.jgit.lib.NullProgressMonitor;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.ProgressMonitor;
import org.eclipse.jgit.lib.TreeFormatter;
import org.jgits3.S3Repository;
import org.jgits3.S3RepositoryManager;
import org.jgits3.TestRepositories;
import org.jgits3.internal.commit.StoredManifest;
import org.jgits3.internal.function.IoRunnable;
import org.jgits3.internal.refs.table.PackedRefsTable;
import org.jgits3.internal.refs.table.RefDelta;
import org.jgits3.internal.refs.table.SnapshotMerge;
import org.jgits3.internal.refs.transaction.InitialRefs;
import org.jgits3.internal.store.file.DirectoryObjectStore;
import org.jgits3.maintenance.MaintenanceFixture;
import org.jgits3.manifest.LiveObject;
import org.jgits3.manifest.Manifest;
import org.jgits3.manifest.ManifestException;
import org.jgits3.manifest.RefValue;
import org.jgits3.store.DelegatingObjectStore;
import org.jgits3.store.ObjectVersion;
import org.jgits3.store.ReadRequest;
import org.jgits3.store.StagedStore;
import org.jgits3.store.StagedStore.Request;
import org.jgits3.store.StoreException;
import org.jgits3.testing.Holds;
import org.jgits3.testing.PackBytes;
import org.jgits3.testing.RandomSeed;
import org.jgits3.testing.aid.RandomBytes;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

@Holds(
    "LiveObject, PackEntry, ObjectCheck, Fsck, Verification: Verification reads every listed "
        + "object, and reports wrong bytes by key. What was replaced and swept meanwhile is no "
        + "finding. A store that does not answer is an error.")
class VerificationTest {
  private static final int LARGE = 1200 << 10;

  @TempDir Path directory;
  private DirectoryObjectStore store;
  @AutoClose private S3RepositoryManager manager;
  @AutoClose private S3Repository repository;
  private ObjectId first;

  @BeforeEach
  void create() throws Exception {
    store = new DirectoryObjectStore(directory);
    manager = TestRepositories.manager(store);
    repository = manager.createRepository("r");
    first = TestRepositories.commit(repository, "first");
  }

  /** Makes the manifest list a snapshot, a segment of the log, and a pack. */
  private List<LiveObject> withSmallParts() throws IOException {
    byte[] large = RandomBytes.of(2 << 20, 7); // more than a bundle has
    TestRepositories.blob(repository, large);
    changes(4000);
    repository.getRefDatabase().compact();
    point("refs/heads/main", first);
    repository.getRefDatabase().compact();
    return listed("refs", "log", "pack.bundle", "pack.pack", "pack.idx");
  }

  /** Makes the manifest list a large transaction of the log as well. */
  private List<LiveObject> withLargeTransaction() throws IOException {
    changes(4001);
    assertThat(manifest().log().tail().stream().flatMap(e -> e.external().stream())).isNotEmpty();
    return listed("refs", "log", "pack.bundle", "pack.pack", "pack.idx");
  }

  private List<LiveObject> listed(String... kinds) throws IOException {
    List<LiveObject> objects = LiveObject.of(manifest());
    assertThat(objects.stream().map(o -> o.key().replaceAll(".*/(\\w+)/[^.]*", "$1")))
        .contains(kinds);
    return objects;
  }

  private Manifest manifest() throws IOException {
    return StoredManifest.read(store, "r");
  }

  private void changes(int count) throws IOException {
    TestRepositories.createAll(
        repository, first, count, i -> "refs/changes/" + count + "/of/a/batch/of/many/" + i);
  }

  private void point(String ref, ObjectId to) throws IOException {
    TestRepositories.createRef(repository, ref, to);
  }

  private ObjectId insert(int type, String content) throws IOException {
    return TestRepositories.insert(repository, to -> to.insert(type, content.getBytes(UTF_8)));
  }

  /** Verifies, and returns the only finding. */
  private Verification.Finding onlyFinding() throws IOException {
    List<Verification.Finding> findings = verify().findings();
    assertThat(findings).hasSize(1);
    return findings.get(0);
  }

  private Verification.Report verify() throws IOException {
    try (S3RepositoryManager elsewhere = TestRepositories.manager(directory)) {
      return new Verification(elsewhere, NullProgressMonitor.INSTANCE).run("r");
    } catch (org.eclipse.jgit.errors.ConfigInvalidException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Damage done to a stored object directly. */
  enum Damage {
    FLIPPED("CRC32C") {
      @Override
      void inflict(Path file) throws IOException {
        byte[] bytes = Files.readAllBytes(file);
        bytes[bytes.length / 2] ^= 0x10;
        Files.write(file, bytes);
      }
    },
    TRUNCATED("bytes instead of") {
      @Override
      void inflict(Path file) throws IOException {
        byte[] bytes = Files.readAllBytes(file);
        Files.write(file, Arrays.copyOf(bytes, bytes.length - 1));
      }
    },
    MISSING("is missing") {
      @Override
      void inflict(Path file) throws IOException {
        Files.delete(file);
      }
    };

    private final String said;

    Damage(String said) {
      this.said = said;
    }

    abstract void inflict(Path file) throws IOException;
  }

  @Test
  void a_sound_repository_has_no_findings() throws IOException {
    List<LiveObject> objects = withSmallParts();
    Verification.Report report = verify();
    assertThat(report.findings()).isEmpty();
    assertThat(report.fsck()).isTrue();
    assertThat(report.generation()).isEqualTo(manifest().generation());
    assertThat(report.objects()).isEqualTo(objects.size());
    assertThat(report.bytes()).isEqualTo(objects.stream().mapToLong(LiveObject::size).sum());
  }

  @ParameterizedTest
  @EnumSource
  void an_object_of_any_kind_that_is_not_what_was_written_is_found_by_its_key(Damage damage)
      throws IOException {
    damageEachOf(withSmallParts(), damage);
    damageEachOf(withLargeTransaction(), damage);
    assertThat(verify().findings()).isEmpty();
  }

  private void damageEachOf(List<LiveObject> objects, Damage damage) throws IOException {
    for (LiveObject object : objects) {
      Path file = directory.resolve(object.key());
      byte[] good = Files.readAllBytes(file);
      damage.inflict(file);
      Verification.Report report = verify();
      assertThat(report.findings()).as(object.key()).hasSize(1);
      assertThat(report.findings().get(0).key()).isEqualTo(object.key());
      assertThat(report.findings().get(0).problem()).contains(damage.said);
      assertThat(report.fsck()).isFalse();
      Files.write(file, good);
    }
  }

  @Test
  void all_damaged_objects_are_found_at_once() throws IOException {
    List<LiveObject> objects = withSmallParts();
    for (LiveObject object : objects) {
      Damage.FLIPPED.inflict(directory.resolve(object.key()));
    }
    assertThat(verify().findings())
        .extracting(Verification.Finding::key)
        .containsExactlyInAnyOrderElementsOf(objects.stream().map(LiveObject::key).toList());
  }

  @Test
  void an_object_that_cannot_be_read_to_its_end_is_found_beside_the_others() throws IOException {
    List<LiveObject> objects = withSmallParts();
    String bad = objects.get(0).key();
    Damage.FLIPPED.inflict(directory.resolve(objects.get(1).key()));
    ObjectCheck check =
        new ObjectCheck(
            new DelegatingObjectStore(store) {
              @Override
              public ObjectVersion read(ReadRequest range) throws IOException {
                if (range.key().equals(bad)) {
                  throw new StoreException.BrokenOff(
                      range.key(), range.key() + ": the body ended", null);
                }
                return super.read(range);
              }
            });
    check.run(objects, NullProgressMonitor.INSTANCE);
    assertThat(check.findings())
        .extracting(Verification.Finding::key)
        .containsExactly(bad, objects.get(1).key());
    assertThat(check.findings().get(0).problem()).startsWith("breaks off before its end");
  }

  @Test
  void a_slice_of_a_bundle_that_was_flipped_is_found_by_the_key_of_the_bundle() throws IOException {
    LiveObject bundle = LiveObject.of(manifest()).get(0);
    assertThat(bundle.key()).endsWith(".bundle");
    LiveObject.Section last = bundle.sections().get(bundle.sections().size() - 1);
    byte[] bytes = Files.readAllBytes(directory.resolve(bundle.key()));
    bytes[(int) last.offset() + 3] ^= 1;
    Files.write(directory.resolve(bundle.key()), bytes);
    assertThat(onlyFinding().key()).isEqualTo(bundle.key());
    assertThat(onlyFinding().problem())
        .contains("CRC32C", "in bytes " + last.offset() + " to " + bytes.length);
  }

  @Test
  void an_object_that_history_needs_and_no_pack_has_is_found() throws IOException {
    ObjectId gone = ObjectId.fromString("deadbeef".repeat(5));
    String who = "A U Thor <author@example.com> 0 +0000";
    ObjectId commit =
        insert(
            Constants.OBJ_COMMIT,
            "tree " + gone.name() + "\nauthor " + who + "\ncommitter " + who + "\n\nx\n");
    point("refs/heads/main", commit);
    assertThat(verify().findings())
        .containsExactly(
            new Verification.Finding(
                StoredManifest.key(store, "r"),
                "object " + gone.name() + " is needed and in no pack"));
  }

  @Test
  void a_malformed_object_is_found_in_its_pack() throws IOException {
    ObjectId bad = insert(Constants.OBJ_COMMIT, "tree of no kind\n");
    String pack = manifest().packs().get(0).id();
    assertThat(onlyFinding().key()).contains("/pack/", pack).endsWith(".bundle");
    assertThat(onlyFinding().problem()).startsWith("commit " + bad.name() + ": ");
  }

  @Test
  void commit_that_only_git_finds_malformed_is_found_in_its_pack() throws IOException {
    String who = "A U Thor <author@example.com> 0 +0000";
    ObjectId bad =
        insert(
            Constants.OBJ_COMMIT,
            "tree 4b825dc642cb6eb9a060e54bf8d69288fbee4904\nauthor A U Thor <author@example.com> 0"
                + " +051800\ncommitter "
                + who
                + "\n\nx\n");
    assertThat(onlyFinding().key()).contains(manifest().packs().get(0).id());
    assertThat(onlyFinding().problem()).startsWith("badTimezone: object " + bad.name());
    repository.getConfig().setString("fsck", null, "badTimezone", "ignore");
    repository.getConfig().save();
    assertThat(verify().findings()).isEmpty();
  }

  @Test
  void submodule_whose_url_git_takes_for_an_option_is_found_in_its_pack() throws IOException {
    ObjectId modules =
        insert(Constants.OBJ_BLOB, "[submodule \"x\"]\n\tpath = x\n\turl = -u./payload\n");
    String pack = manifest().packs().get(0).id();
    TreeFormatter tree = TestRepositories.tree(".gitmodules", FileMode.REGULAR_FILE, modules);
    point("refs/tags/modules", TestRepositories.insert(repository, to -> to.insert(tree)));
    assertThat(onlyFinding().key()).contains(pack);
    assertThat(onlyFinding().problem()).startsWith("blob " + modules.name() + ": gitmodules");
  }

  @Test
  void tree_that_names_a_tree_as_a_file_is_found() throws IOException {
    ObjectId tree = insert(Constants.OBJ_TREE, "");
    TreeFormatter odd = TestRepositories.tree("a", FileMode.REGULAR_FILE, tree);
    point("refs/tags/odd", TestRepositories.insert(repository, to -> to.insert(odd)));
    assertThat(verify().findings())
        .containsExactly(
            new Verification.Finding(
                StoredManifest.key(store, "r"), "Object " + tree.name() + " is not a blob."));
  }

  @Test
  void a_branch_that_is_no_commit_is_found() throws IOException {
    RefValue blob = new RefValue.Direct(insert(Constants.OBJ_BLOB, "x"), Optional.empty());
    RefDelta branch = RefDelta.of(Map.of("refs/heads/main", blob));
    PackedRefsTable table = new SnapshotMerge(PackedRefsTable.EMPTY, branch).build();
    InitialRefs unchecked = new InitialRefs(table, TestRepositories.WHO, "made");
    repository.getRefDatabase().commitBatch(unchecked, table::tips, unchecked.bytes());
    assertThat(verify().findings())
        .containsExactly(
            new Verification.Finding(
                StoredManifest.key(store, "r"), "refs/heads/main does not point to a commit"));
  }

  @Test
  void a_damaged_manifest_is_an_error_with_its_key() throws IOException {
    String key = StoredManifest.key(store, "r");
    Path file = directory.resolve(key);
    byte[] bytes = Files.readAllBytes(file);
    bytes[200] ^= 1;
    Files.write(file, bytes);
    assertThatThrownBy(this::verify)
        .isInstanceOf(ManifestException.Corrupt.class)
        .hasMessageContaining(key);
  }

  /** Does something once, when the n-th thing is heard of fsck. */
  private static final class DuringFsck extends EmptyProgressMonitor {
    private final int when;
    private final IoRunnable action;
    private boolean fsck;
    private int heard;
    private boolean done;

    DuringFsck(int when, IoRunnable action) {
      this.when = when;
      this.action = action;
    }

    private void hear() {
      if (fsck && heard++ == when) {
        done = true;
        try {
          action.run();
        } catch (IOException e) {
          throw new UncheckedIOException(e);
        }
      }
    }

    @Override
    public void beginTask(String title, int work) {
      fsck = !title.equals("Checking stored objects");
      hear();
    }

    @Override
    public void update(int completed) {
      hear();
    }

    @Override
    public void endTask() {
      hear();
    }
  }

  private static Verification.Report verify(
      S3RepositoryManager elsewhere, String name, ProgressMonitor monitor) throws IOException {
    DfsBlockCache.reconfigure(new DfsBlockCacheConfig());
    return new Verification(elsewhere, monitor).run(name);
  }

  /** Leaves a pack of more than one block, whose index is an object of its own, and a bundle. */
  private static void pushLarge(S3Repository to) throws IOException {
    TestRepositories.force(to, "refs/heads/large", PackBytes.ofSize(LARGE, 1).pushTo(to));
    TestRepositories.force(to, "refs/heads/small", TestRepositories.commit(to, "small"));
  }

  /** Does it as another process would, in which nothing is cached that fsck then finds. */
  private void collectAndSweep(String name) throws IOException {
    DfsBlockCache.reconfigure(new DfsBlockCacheConfig());
    manager.maintenance(name).repack(NullProgressMonitor.INSTANCE);
    manager.sweep(name, Duration.ZERO, false);
    manager.sweep(name, Duration.ZERO, false);
  }

  @Test
  void what_is_replaced_and_swept_at_any_moment_of_fsck_is_no_finding() throws Exception {
    int step = RandomSeed.count(3, 1);
    int moment = RandomSeed.first() % step;
    try (S3RepositoryManager elsewhere = TestRepositories.manager(directory)) {
      DuringFsck others;
      do {
        String name = "at-" + moment;
        try (S3Repository r = manager.createRepository(name)) {
          pushLarge(r);
        }
        others = new DuringFsck(moment, () -> collectAndSweep(name));
        moment += step;
        Verification.Report report = verify(elsewhere, name, others);
        assertThat(report.findings()).as(name).isEmpty();
        assertThat(report.fsck()).isTrue();
      } while (others.done);
    }
    assertThat(moment).isGreaterThan(10);
  }

  @ParameterizedTest
  @ValueSource(strings = {".pack", ".idx"})
  void a_listed_object_that_vanishes_during_fsck_is_found_by_its_key(String kind) throws Exception {
    pushLarge(repository);
    LiveObject object =
        LiveObject.of(manifest()).stream().filter(o -> o.key().endsWith(kind)).findFirst().get();
    Path file = directory.resolve(object.key());
    try (S3RepositoryManager elsewhere = TestRepositories.manager(directory)) {
      Verification.Report report =
          verify(elsewhere, "r", new DuringFsck(0, () -> Files.delete(file)));
      assertThat(report.findings())
          .containsExactly(new Verification.Finding(object.key(), "is missing"));
      assertThat(report.fsck()).isFalse();
    }
  }

  @Test
  void a_store_that_stops_answering_during_fsck_is_an_error_and_no_finding() throws Exception {
    pushLarge(repository);
    AtomicBoolean down = new AtomicBoolean();
    List<String> unread = new ArrayList<>();
    try (S3RepositoryManager elsewhere =
        TestRepositories.manager(
            new DelegatingObjectStore(new DirectoryObjectStore(directory)) {
              @Override
              public ObjectVersion read(ReadRequest range) throws IOException {
                if (down.get()) {
                  throw new StoreException.Unavailable(
                      range.key(), range.key() + ": no answer", null);
                }
                return super.read(range);
              }
            })) {
      DuringFsck outage;
      int moment = 0;
      do {
        outage = new DuringFsck(moment++, () -> down.set(true));
        try {
          assertThat(verify(elsewhere, "r", outage).findings()).isEmpty();
        } catch (StoreException.Unavailable e) {
          unread.add(e.key().replaceAll(".*\\.", ""));
        }
        down.set(false);
      } while (outage.done);
    }
    assertThat(unread).contains("pack", "idx");
  }

  @Test
  void what_is_replaced_and_swept_while_it_is_verified_is_no_finding() throws Exception {
    TestRepositories.force(repository, "refs/heads/main", first);
    StagedStore staged = new StagedStore(new DirectoryObjectStore(directory));
    try (S3RepositoryManager elsewhere = TestRepositories.manager(staged);
        S3RepositoryManager users = MaintenanceFixture.manager(store)) {
      elsewhere.openRepository("r").close(); // knows the repository
      String replaced = LiveObject.of(manifest()).get(0).key();
      staged.after(
          Request.READ_MANIFEST,
          () -> {
            try (S3Repository r = users.openRepository("r")) {
              TestRepositories.force(
                  r, "refs/heads/a", TestRepositories.commit(r, "pushed", first));
            }
            MaintenanceFixture.gc(users);
            users.sweep("r", Duration.ZERO, false); // leaves the mark that the next one needs
            users.sweep("r", Duration.ZERO, false);
            assertThat(store.stat(replaced)).isEmpty();
          });
      Verification.Report report = verify(elsewhere, "r", NullProgressMonitor.INSTANCE);
      assertThat(report.findings()).isEmpty();
      assertThat(report.generation()).isEqualTo(manifest().generation());
    }
  }
}
