// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.refs;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.jgits3.TestRepositories.creation;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.eclipse.jgit.lib.BatchRefUpdate;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.Ref;
import org.eclipse.jgit.lib.RefUpdate;
import org.eclipse.jgit.transport.ReceiveCommand;
import org.jgits3.S3Repository;
import org.jgits3.S3RepositoryManager;
import org.jgits3.TestRepositories;
import org.jgits3.internal.commit.StoredManifest;
import org.jgits3.internal.store.file.DirectoryObjectStore;
import org.jgits3.manifest.Manifest;
import org.jgits3.manifest.ObjectNames;
import org.jgits3.manifest.RefSnapshot;
import org.jgits3.manifest.Refs;
import org.jgits3.metrics.Count;
import org.jgits3.store.Crc32c;
import org.jgits3.store.ObjectStore;
import org.jgits3.store.StoreException;
import org.jgits3.testing.Holds;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A snapshot that went bad in the store is refused by its key, whatever is asked of the refs, and
 * nothing in the store is changed: what is left of it may be all there is.
 */
@Holds("Compaction: Only refs with the SHA-256 in the manifest are compacted")
@Holds(
    "SnapshotTables, SharedRefs: Whatever the bytes of a stored object, at rest or in transit, "
        + "each answer is right or an error with the key. They are not overwritten, and putting the "
        + "right ones back repairs it.")
class CorruptSnapshotTest {
  private static final String MASTER = "refs/heads/master";
  private static final String TAG = "refs/tags/v1";
  private static final String OVERLAID = "refs/heads/overlaid";

  @TempDir Path directory;

  @AutoClose private ObjectStore store;
  private ObjectId first;
  private ObjectId second;

  /** Key of the snapshot. */
  private String key;

  /** Its bytes as they were written: refs/changes/1/1 to 5/1, master, overlaid and a tag. */
  private byte[] good;

  @BeforeEach
  void create() throws Exception {
    store = new DirectoryObjectStore(directory);
    try (S3RepositoryManager manager = manager();
        S3Repository r = manager.createRepository("r")) {
      first = TestRepositories.commit(r, "first");
      second = TestRepositories.commit(r, "second", first);
      TestRepositories.createAll(r, first, 5, i -> "refs/changes/" + (i + 1) + "/1");
      TestRepositories.batch(
          r,
          true,
          creation(MASTER, second),
          creation(TAG, TestRepositories.tag(r, "v1", first)),
          creation(OVERLAID, first));
      r.getRefDatabase().compact();
      push(r, OVERLAID, second);
    }
    Manifest manifest = StoredManifest.read(store, "r");
    key =
        ObjectNames.snapshotKey(manifest.repositoryId(), manifest.refs().base().orElseThrow().id());
    good = Files.readAllBytes(directory.resolve(key));
  }

  private S3RepositoryManager manager() throws Exception {
    return TestRepositories.manager(new DirectoryObjectStore(directory));
  }

  private static void push(S3Repository r, String name, ObjectId id) throws IOException {
    assertThat(forced(r, name, id).forceUpdate())
        .isIn(RefUpdate.Result.NEW, RefUpdate.Result.FAST_FORWARD, RefUpdate.Result.FORCED);
  }

  private static RefUpdate forced(S3Repository r, String name, ObjectId id) throws IOException {
    RefUpdate u = r.updateRef(name);
    u.setNewObjectId(id);
    u.setForceUpdate(true);
    return u;
  }

  /** Damage to the bytes of a snapshot. */
  @SuppressWarnings("ImmutableEnumChecker") // functions of nothing but their argument
  private enum Damage {
    FLIPPED_BIT(text -> flipped(text, text.indexOf("2/1\n") + 9)),
    ANOTHER_NAME(text -> text.replace("refs/heads/master", "refs/heads/naster")),
    ANOTHER_ID(text -> text.replace(text.substring(46, 50), "0000")),
    TRUNCATED_WITHIN_A_LINE(text -> text.substring(0, text.length() - 20)),
    TRUNCATED_AFTER_A_LINE(text -> text.substring(0, text.indexOf("3/1\n") + 4)),
    EMPTY(text -> "");

    private final UnaryOperator<String> damage;

    Damage(UnaryOperator<String> damage) {
      this.damage = damage;
    }

    private static String flipped(String text, int at) {
      return text.substring(0, at) + (char) (text.charAt(at) ^ 1) + text.substring(at + 1);
    }
  }

  private void replaceObject(byte[] bytes) throws IOException {
    Files.write(directory.resolve(key), bytes);
  }

  private void rewriteSnapshot(UnaryOperator<RefSnapshot> edit) throws IOException {
    StoredManifest.rewrite(
        store,
        "r",
        m ->
            m.withRefs(
                new Refs(
                    m.refs().tables().stream().map(edit).toList(),
                    m.refs().overlay(),
                    m.refs().symrefs())));
  }

  @ParameterizedTest
  @EnumSource
  void damage_is_refused_and_left_alone(Damage damage) throws Exception {
    byte[] bad = damage.damage.apply(new String(good, UTF_8)).getBytes(UTF_8);
    assertThat(bad).isNotEqualTo(good);
    replaceObject(bad);
    assertRefusedAndLeftAlone();
  }

  /** A broken writer: size and CRC32C are right. SnapshotReaderTest has all that can be wrong. */
  @Test
  void what_is_no_snapshot_is_refused_though_it_is_what_the_manifest_lists() throws Exception {
    String unsorted = new String(good, UTF_8).replace("refs/changes/3/1", "refs/changes/9/1");
    byte[] bad = unsorted.getBytes(UTF_8);
    replaceObject(bad);
    rewriteSnapshot(
        s -> new RefSnapshot(s.id(), bad.length, s.count(), Crc32c.of(bad), s.sha256()));
    assertRefusedAndLeftAlone();
  }

  @Test
  void a_snapshot_that_is_gone_is_reported_by_its_key() throws Exception {
    Files.delete(directory.resolve(key));
    assertRefusedAndLeftAlone();
  }

  private void assertRefusedAndLeftAlone() throws Exception {
    Map<Path, ByteBuffer> before = contents();
    try (S3RepositoryManager manager = manager();
        S3Repository r = manager.openRepository("r")) {
      S3RefDatabase refs = r.getRefDatabase();
      for (int i = 0; i < 2; i++) {
        assertNames(() -> r.exactRef(MASTER));
        assertNames(() -> r.exactRef(OVERLAID));
        assertNames(() -> r.exactRef("refs/heads/missing"));
        assertNames(() -> r.exactRef("HEAD"));
        assertNames(refs::getRefs);
        assertNames(() -> refs.getRefsByPrefix("refs/changes/"));
        assertNames(() -> refs.isNameConflicting("refs/heads/master/x"));
        assertNames(() -> forced(r, "refs/heads/new", first).update());
        assertNames(() -> forced(r, MASTER, first).update());
        assertNames(() -> forced(r, OVERLAID, first).update());
        assertNames(() -> forced(r, MASTER, first).delete());
        assertNames(() -> r.updateRef("HEAD").link(OVERLAID));
        assertNames(() -> r.renameRef(MASTER, "refs/heads/renamed").rename());
        assertNamesInAll(r, 3);
        assertNamesInAll(r, 3000);
      }
      assertThat(contents()).isEqualTo(before);

      Refs listed = StoredManifest.read(store, "r").refs();
      assertNames(refs::compact);
      assertThat(StoredManifest.read(store, "r").refs()).isEqualTo(listed);
      assertThat(withoutLog(contents())).isEqualTo(withoutLog(before));
    }
  }

  /** The log is whole, and its tail becomes a segment, though the refs are not compacted. */
  private static Map<Path, ByteBuffer> withoutLog(Map<Path, ByteBuffer> contents) {
    Map<Path, ByteBuffer> others = new TreeMap<>(contents);
    others.keySet().removeIf(p -> p.endsWith("manifest") || p.getParent().endsWith("log"));
    return others;
  }

  private void assertNames(ThrowingCallable call) {
    assertThatThrownBy(call)
        .satisfies(e -> assertThat(cause(e)).isInstanceOf(StoreException.class))
        .satisfies(e -> assertOneLine(e.getMessage()));
  }

  private static Throwable cause(Throwable e) {
    return e instanceof UncheckedIOException ? e.getCause() : e;
  }

  private void assertOneLine(String message) {
    assertThat(message).contains(key).doesNotContain("\n");
  }

  private void assertNamesInAll(S3Repository r, int count) throws IOException {
    BatchRefUpdate batch = TestRepositories.createAll(r, first, count, i -> "refs/new/" + i);
    for (ReceiveCommand c : batch.getCommands()) {
      assertThat(c.getResult()).isEqualTo(ReceiveCommand.Result.REJECTED_OTHER_REASON);
      assertOneLine(c.getMessage());
    }
  }

  /** All objects of the store and their bytes. */
  private Map<Path, ByteBuffer> contents() throws IOException {
    Map<Path, ByteBuffer> found = new TreeMap<>();
    try (Stream<Path> files = Files.walk(directory)) {
      for (Path file : files.filter(Files::isRegularFile).filter(this::isObject).toList()) {
        found.put(file, ByteBuffer.wrap(Files.readAllBytes(file)));
      }
    }
    return found;
  }

  private boolean isObject(Path file) {
    return !directory.relativize(file).startsWith(".jgit-s3");
  }

  @Test
  void a_good_copy_put_back_is_all_it_takes() throws Exception {
    replaceObject(Arrays.copyOf(good, good.length - 9));
    try (S3RepositoryManager manager = manager();
        S3Repository r = manager.openRepository("r")) {
      assertNames(() -> r.exactRef(MASTER));
      replaceObject(good);
      assertThat(r.exactRef(MASTER).getObjectId()).isEqualTo(second);
      push(r, MASTER, first);
      assertThat(r.exactRef(OVERLAID).getObjectId()).isEqualTo(second);
    }
  }

  @Test
  void a_process_that_has_the_refs_goes_on_and_compacts_beside_what_is_left() throws Exception {
    byte[] bad = Arrays.copyOf(good, good.length - 9);
    try (S3RepositoryManager manager = manager();
        S3Repository r = manager.openRepository("r")) {
      assertThat(r.exactRef(MASTER).getObjectId()).isEqualTo(second);
      replaceObject(bad);
      push(r, MASTER, first);
      r.getRefDatabase().compact();
    }

    assertThat(Files.readAllBytes(directory.resolve(key))).isEqualTo(bad);
    try (S3RepositoryManager manager = manager();
        S3Repository r = manager.openRepository("r")) {
      assertThat(r.exactRef(MASTER).getObjectId()).isEqualTo(first);
      assertThat(r.getRefDatabase().getRefsByPrefix("refs/")).hasSize(8);
    }
  }

  @Test
  void bytes_beyond_the_listed_size_are_never_read() throws Exception {
    byte[] longer = Arrays.copyOf(good, good.length + 60);
    System.arraycopy(("f".repeat(40) + " refs/z\n").getBytes(UTF_8), 0, longer, good.length, 48);
    replaceObject(longer);
    try (S3RepositoryManager manager = manager();
        S3Repository r = manager.openRepository("r")) {
      assertThat(r.getRefDatabase().getRefsByPrefix("refs/"))
          .extracting(Ref::getName)
          .hasSize(8)
          .doesNotContain("refs/z");
    }
  }

  @Test
  void a_snapshot_whose_listed_SHA256_is_wrong_is_downloaded_and_not_derived() throws Exception {
    try (S3RepositoryManager there = manager();
        S3RepositoryManager here = manager();
        S3Repository writer = there.openRepository("r");
        S3Repository reader = here.openRepository("r")) {
      assertThat(reader.exactRef(OVERLAID).getObjectId()).isEqualTo(second);
      writer.getRefDatabase().compact();
      listWrongSha256();

      assertThat(reader.exactRef(OVERLAID).getObjectId()).isEqualTo(second);
      assertThat(here.counters().of(Count.DERIVATIONS)).isZero();
      assertThat(here.counters().of(Count.DOWNLOADS)).isEqualTo(2);
      assertThat(TestRepositories.refs(reader)).isEqualTo(TestRepositories.refs(writer));
    }
  }

  @Test
  void refs_whose_listed_SHA256_is_wrong_are_not_compacted() throws Exception {
    listWrongSha256();
    Map<Path, ByteBuffer> before = contents();
    try (S3RepositoryManager here = manager();
        S3Repository r = here.openRepository("r")) {
      assertNames(r.getRefDatabase()::compact);
    }
    assertThat(contents()).isEqualTo(before);
  }

  @Test
  void refs_that_others_compacted_and_swept_are_read_by_the_newest_manifest() throws Exception {
    try (S3RepositoryManager there = manager();
        S3RepositoryManager here = manager();
        S3Repository writer = there.openRepository("r");
        S3Repository reader = here.openRepository("r")) {
      reader.getRefDatabase().shared().validate(); // reads no table
      push(writer, MASTER, first);
      writer.getRefDatabase().compact();
      Files.delete(directory.resolve(key));
      assertThat(reader.getRefDatabase().shared().newestLoaded().exactRef(MASTER).getObjectId())
          .isEqualTo(first);
    }
  }

  private void listWrongSha256() throws IOException {
    rewriteSnapshot(s -> new RefSnapshot(s.id(), s.size(), s.count(), s.crc32c(), "0".repeat(64)));
  }

  @Test
  void refs_whose_listed_SHA256_is_wrong_are_not_the_base_of_a_large_batch() throws Exception {
    listWrongSha256();
    try (S3RepositoryManager here = manager();
        S3Repository r = here.openRepository("r")) {
      List<String> before = TestRepositories.refs(r);
      Refs listed = r.manifest().refs();
      assertNamesInAll(r, 6000);
      assertThat(r.manifest().refs()).isEqualTo(listed);
      assertThat(TestRepositories.refs(r)).isEqualTo(before);
    }
  }
}
