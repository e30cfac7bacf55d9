// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.pack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.eclipse.jgit.internal.storage.dfs.DfsBlockCache;
import org.eclipse.jgit.internal.storage.dfs.DfsBlockCacheConfig;
import org.eclipse.jgit.internal.storage.dfs.DfsGarbageCollector;
import org.eclipse.jgit.internal.storage.dfs.DfsRepositoryDescription;
import org.eclipse.jgit.internal.storage.dfs.InMemoryRepository;
import org.eclipse.jgit.internal.storage.pack.PackWriter;
import org.eclipse.jgit.lib.AsyncObjectLoaderQueue;
import org.eclipse.jgit.lib.Constants;
import org.eclipse.jgit.lib.NullProgressMonitor;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.ObjectInserter;
import org.eclipse.jgit.lib.ObjectReader;
import org.eclipse.jgit.transport.PackParser;
import org.jgits3.S3Repository;
import org.jgits3.S3RepositoryManager;
import org.jgits3.TestRepositories;
import org.jgits3.internal.function.IoRunnable;
import org.jgits3.internal.store.file.DirectoryObjectStore;
import org.jgits3.internal.store.metrics.ObservedObjectStore;
import org.jgits3.internal.store.metrics.RequestCounts;
import org.jgits3.manifest.PackEntry;
import org.jgits3.store.RequestKind;
import org.jgits3.store.StoreException;
import org.jgits3.testing.ForgedPack;
import org.jgits3.testing.Holds;
import org.jgits3.testing.aid.AtFirstTask;
import org.jgits3.testing.aid.RandomBytes;
import org.jgits3.testing.aid.StoredFiles;
import org.jgits3.testing.aid.WholePackClient;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Readers go on when packs are replaced elsewhere and deleted under them. */
@Holds(
    "S3Reader, S3ObjDatabase: A missing object, or one of a vanished pack, is looked for in newer "
        + "packs before it is reported")
@Timeout(120)
class VanishedPackTest {
  /** So large that its pack is an object of its own, read block by block. */
  private static final int BLOB = 1200 << 10;

  @TempDir Path directory;
  private final RequestCounts counts = new RequestCounts();
  private final List<ObjectId> blobs = new ArrayList<>();
  private ObjectId tip;
  private S3RepositoryManager manager;
  private S3RepositoryManager elsewhere;

  @BeforeEach
  void open() throws Exception {
    manager =
        TestRepositories.manager(
            new ObservedObjectStore(new DirectoryObjectStore(directory), counts));
    elsewhere = TestRepositories.manager(directory);
    elsewhere.createRepository("r").close();
    push(3);
    // Holds next to nothing, so that packs are read from the store.
    DfsBlockCache.reconfigure(
        new DfsBlockCacheConfig().setBlockSize(64 << 10).setBlockLimit(64 << 10));
  }

  @AfterEach
  void close() throws IOException {
    manager.close();
    elsewhere.close();
    DfsBlockCache.reconfigure(new DfsBlockCacheConfig());
  }

  /** Commits some blobs elsewhere, each commit in a pack of its own. */
  private void push(int commits) throws IOException {
    for (int i = 0; i < commits; i++) {
      try (S3Repository there = elsewhere.openRepository("r")) {
        byte[] bytes = RandomBytes.of(BLOB, blobs.size());
        blobs.add(ForgedPack.id(Constants.OBJ_BLOB, bytes));
        ObjectId[] parents = tip == null ? new ObjectId[0] : new ObjectId[] {tip};
        tip = TestRepositories.commitFile(there, bytes, parents);
        TestRepositories.update(there, Constants.R_HEADS + "master", tip);
      }
    }
  }

  /** Replaces all packs elsewhere, and deletes the ones that were replaced. */
  private void repackAndSweep() throws IOException {
    try (S3Repository there = elsewhere.openRepository("r")) {
      Set<String> before = packs(there);
      new DfsGarbageCollector(there).pack(NullProgressMonitor.INSTANCE);
      before.removeAll(packs(there));
      assertThat(before).isNotEmpty();
      delete(before);
    }
  }

  private static Set<String> packs(S3Repository repository) throws IOException {
    return repository.manifest().packs().stream()
        .map(PackEntry::id)
        .collect(Collectors.toCollection(HashSet::new));
  }

  private void delete(Set<String> packs) throws IOException {
    for (Path file : StoredFiles.below(directory.resolve("objects"), any -> true)) {
      if (packs.contains(file.getFileName().toString().replaceFirst("\\.[^.]*$", ""))) {
        Files.delete(file);
      }
    }
  }

  private static void assertBlob(ObjectReader reader, ObjectId id, int seed) throws IOException {
    assertThat(reader.open(id).getBytes(Integer.MAX_VALUE)).isEqualTo(RandomBytes.of(BLOB, seed));
  }

  @Test
  void a_reader_that_never_opened_the_pack_reads_the_new_one() throws Exception {
    try (S3Repository here = manager.openRepository("r");
        ObjectReader reader = here.newObjectReader()) {
      here.getObjectDatabase().getPackList();
      repackAndSweep();
      assertThat(reader.has(tip)).isTrue();
      for (int i = 0; i < blobs.size(); i++) {
        assertBlob(reader, blobs.get(i), i);
      }
    }
  }

  @Test
  void a_reader_in_the_middle_of_the_pack_reads_the_new_one() throws Exception {
    try (S3Repository here = manager.openRepository("r");
        ObjectReader reader = here.newObjectReader()) {
      for (int round = 0; round < 3; round++) {
        for (int i = 0; i < blobs.size(); i++) {
          assertBlob(reader, blobs.get(i), i);
        }
        push(1); // so that the packs are not the same afterwards
        repackAndSweep();
      }
      assertThat(reader.getObjectSize(blobs.get(0), Constants.OBJ_BLOB)).isEqualTo(BLOB);
      assertThat(reader.resolve(blobs.get(1).abbreviate(12))).containsExactly(blobs.get(1));
    }
  }

  @Test
  void objects_that_are_opened_together_are_read_from_the_new_pack() throws Exception {
    try (S3Repository here = manager.openRepository("r");
        ObjectReader reader = here.newObjectReader()) {
      AsyncObjectLoaderQueue<ObjectId> queue = reader.open(blobs, true);
      repackAndSweep();
      Set<ObjectId> found = new HashSet<>();
      while (queue.next()) {
        assertBlob(reader, queue.getObjectId(), blobs.indexOf(queue.getObjectId()));
        assertThat(queue.open().getSize()).isEqualTo(BLOB);
        found.add(queue.getObjectId().copy());
      }
      assertThat(found).containsExactlyInAnyOrderElementsOf(blobs);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void a_fetch_that_has_counted_its_objects_chooses_from_the_new_pack(boolean chosen)
      throws Exception {
    try (S3Repository here = manager.openRepository("r");
        PackWriter writer = new PackWriter(here)) {
      writer.preparePack(NullProgressMonitor.INSTANCE, Set.of(tip), Set.of());
      if (!chosen) {
        repackAndSweep();
      }
      byte[] pack = written(writer, chosen ? this::repackAndSweep : () -> {});
      assertThat(received(pack)).containsAll(blobs);
    }
  }

  /** Writes a pack, with an action between choosing its objects and writing the first. */
  private static byte[] written(PackWriter writer, IoRunnable action) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    writer.writePack(NullProgressMonitor.INSTANCE, new AtFirstTask(action::run), out);
    return out.toByteArray();
  }

  private static List<ObjectId> received(byte[] pack) throws IOException {
    try (InMemoryRepository there = new InMemoryRepository(new DfsRepositoryDescription("in"));
        ObjectInserter inserter = there.newObjectInserter()) {
      PackParser parser = inserter.newPackParser(new ByteArrayInputStream(pack));
      parser.setNeedNewObjectIds(true);
      parser.parse(NullProgressMonitor.INSTANCE);
      List<ObjectId> ids = new ArrayList<>();
      parser.getNewObjectIds().forEach(id -> ids.add(id.copy()));
      return ids;
    }
  }

  @Holds(
      "S3Reader: A whole pack that vanishes before it is sent is sent object by object. Later, "
          + "the fetch ends with an error of one line.")
  @Test
  void a_pack_that_vanished_before_it_was_sent_is_sent_from_its_successor() throws Exception {
    repackAndSweep();
    try (S3Repository here = manager.openRepository("r");
        PackWriter writer = WholePackClient.writer(here, tip)) {
      IoRunnable vanish =
          () -> {
            repackAndSweep();
            try (ObjectReader reader = here.newObjectReader()) {
              assertBlob(reader, blobs.get(2), 2); // the cache has no block of the old pack then
            }
          };
      assertThat(received(written(writer, vanish))).containsAll(blobs);
      assertThat(writer.getStatistics().getReusedPacks()).hasSize(1);
    }
  }

  @Test
  void a_whole_pack_that_vanishes_while_it_is_sent_is_an_error_of_one_line() throws Exception {
    repackAndSweep();
    try (S3RepositoryManager slow =
            TestRepositories.manager(directory, "[core \"dfs\"]\nstreamBuffer = " + (64 << 10));
        S3Repository here = slow.openRepository("r");
        PackWriter writer = WholePackClient.writer(here, tip)) {
      String pack = packs(here).iterator().next();
      assertThatThrownBy(() -> WholePackClient.get(writer, this::repackAndSweep))
          .isInstanceOf(IOException.class)
          .hasMessageContaining(pack)
          .hasMessageEndingWith("while it was being sent; fetch again");
    }
  }

  @Test
  void a_pack_that_is_listed_and_missing_is_an_error_after_one_more_look() throws Exception {
    try (S3Repository here = manager.openRepository("r");
        ObjectReader reader = here.newObjectReader()) {
      assertBlob(reader, blobs.get(0), 0);
      delete(packs(here));
      RequestCounts.Snapshot before = counts.snapshot();
      assertThatThrownBy(() -> reader.open(blobs.get(0)).getBytes(Integer.MAX_VALUE))
          .isInstanceOf(StoreException.Missing.class)
          .hasMessageContaining(".pack");
      assertThat(counts.snapshot().since(before).of(RequestKind.GET)).isEqualTo(1);
    }
  }

  @Test
  void a_fetch_from_a_pack_that_is_listed_and_missing_ends() throws Exception {
    try (S3Repository here = manager.openRepository("r");
        PackWriter writer = new PackWriter(here)) {
      writer.preparePack(NullProgressMonitor.INSTANCE, Set.of(tip), Set.of());
      assertThatThrownBy(() -> written(writer, () -> delete(packs(here))))
          .isInstanceOf(IOException.class)
          .hasStackTraceContaining(".pack: no such object");
    }
  }
}
