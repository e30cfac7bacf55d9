// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.pack.file;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.TreeMap;
import org.eclipse.jgit.internal.storage.dfs.DfsBlockCache;
import org.eclipse.jgit.internal.storage.dfs.DfsBlockCacheConfig;
import org.eclipse.jgit.internal.storage.dfs.DfsGarbageCollector;
import org.eclipse.jgit.internal.storage.dfs.DfsPackDescription;
import org.eclipse.jgit.internal.storage.dfs.ReadableChannel;
import org.eclipse.jgit.internal.storage.pack.PackExt;
import org.eclipse.jgit.lib.NullProgressMonitor;
import org.eclipse.jgit.revwalk.RevCommit;
import org.jgits3.S3Repository;
import org.jgits3.S3RepositoryManager;
import org.jgits3.TestRepositories;
import org.jgits3.internal.store.file.DirectoryObjectStore;
import org.jgits3.internal.store.metrics.ObservedObjectStore;
import org.jgits3.internal.store.metrics.RequestCounts;
import org.jgits3.manifest.Manifest;
import org.jgits3.manifest.ObjectNames;
import org.jgits3.manifest.PackEntry;
import org.jgits3.manifest.PackFileEntry;
import org.jgits3.store.Crc32c;
import org.jgits3.store.RequestKind;
import org.jgits3.testing.Holds;
import org.jgits3.testing.PackBytes;
import org.jgits3.testing.aid.StoredFiles;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Packs in one object, and packs that are too large for that. */
@Holds(
    "S3PackDescription, Bundles: Side files and bundles are compared with the CRC32C in the "
        + "manifest at every load. A failed load is tried again.")
class BundleTest {
  private static final int LARGE = S3PackDescription.MAX_BUNDLE + 1;

  @TempDir Path directory;
  private final RequestCounts counts = new RequestCounts();
  private DirectoryObjectStore store;
  @AutoClose private S3RepositoryManager manager;

  @BeforeEach
  void open() throws Exception {
    store = new DirectoryObjectStore(directory);
    manager = TestRepositories.manager(new ObservedObjectStore(store, counts));
    manager.createRepository("r").close();
  }

  private RequestCounts.Snapshot receive(S3Repository repository, PackBytes pack)
      throws IOException {
    RequestCounts.Snapshot before = counts.snapshot();
    pack.pushTo(repository);
    return counts.snapshot().since(before);
  }

  private static PackEntry onlyPack(S3Repository repository) throws IOException {
    assertThat(repository.manifest().packs()).hasSize(1);
    return repository.manifest().packs().get(0);
  }

  /** The store has exactly the objects that the manifest lists for its packs. */
  private void storeIsAsListed(Manifest manifest) throws IOException {
    TreeMap<String, Long> listed = new TreeMap<>();
    manifest.packs().forEach(p -> listed.putAll(p.objectSizes(manifest.repositoryId())));
    TreeMap<String, Long> found = new TreeMap<>();
    store.list(
        ObjectNames.prefix(manifest.repositoryId()) + "pack/", o -> found.put(o.key(), o.size()));
    assertThat(found).isEqualTo(listed);
  }

  @Test
  void a_small_pack_and_its_index_are_one_object() throws Exception {
    try (S3Repository r = manager.openRepository("r")) {
      RequestCounts.Snapshot cost = receive(r, PackBytes.ofSize(1_000, 1));
      assertThat(cost.of(RequestKind.PUT)).isEqualTo(1);
      PackEntry pack = onlyPack(r);
      assertThat(pack.files()).containsOnlyKeys("idx", "pack");
      assertThat(pack.files().values()).allMatch(PackFileEntry::bundled);
      assertThat(pack.objectSizes(r.manifest().repositoryId())).hasSize(1);
      storeIsAsListed(r.manifest());
    }
  }

  @Test
  void a_small_pack_is_read_in_one_request() throws Exception {
    PackBytes pack = PackBytes.ofSize(1_000, 1);
    try (S3Repository r = manager.openRepository("r")) {
      receive(r, pack);
    }
    RequestCounts there = new RequestCounts();
    DfsBlockCache.reconfigure(new DfsBlockCacheConfig());
    try (S3RepositoryManager elsewhere =
            TestRepositories.manager(
                new ObservedObjectStore(new DirectoryObjectStore(directory), there));
        S3Repository r = elsewhere.openRepository("r")) {
      readAll(r, pack);
    }
    assertThat(there.snapshot())
        .as("pointer, manifest, pack")
        .hasToString("3 requests: 2 GET, 1 READ");
  }

  private static void readAll(S3Repository r, PackBytes pack) throws IOException {
    RevCommit commit = r.parseCommit(pack.commit());
    assertThat(commit.getFullMessage()).startsWith("of ");
    assertThat(r.open(commit.getTree()).getBytes()).isNotEmpty();
  }

  @Test
  void a_pack_too_large_for_a_bundle_is_an_object_of_its_own() throws Exception {
    PackBytes pack = PackBytes.ofSize(LARGE, 1);
    try (S3Repository r = manager.openRepository("r")) {
      receive(r, pack);
      assertThat(onlyPack(r).files().values()).noneMatch(PackFileEntry::bundled);
      storeIsAsListed(r.manifest());
      DfsPackDescription description = r.getObjectDatabase().getPacks()[0].getPackDescription();
      ByteBuffer whole = ByteBuffer.allocate((int) description.getFileSize(PackExt.PACK));
      try (ReadableChannel channel = r.getObjectDatabase().openFile(description, PackExt.PACK)) {
        assertThat(channel.read(whole)).as("by one read").isEqualTo(whole.capacity());
      }
      assertThat(whole.array()).isEqualTo(Files.readAllBytes(StoredFiles.only(directory, ".pack")));
      DfsBlockCache.reconfigure(new DfsBlockCacheConfig());
      readAll(r, pack);
    }
  }

  @Test
  void bitmap_and_other_side_files_are_in_the_bundle_too() throws Exception {
    PackBytes pack = PackBytes.ofSize(1_000, 1);
    try (S3Repository r = manager.openRepository("r")) {
      receive(r, pack);
      TestRepositories.update(r, "refs/heads/main", pack.commit());
      new DfsGarbageCollector(r).pack(NullProgressMonitor.INSTANCE);
      PackEntry collected = onlyPack(r);
      assertThat(collected.files()).containsKeys("bitmap", "idx", "pack");
      assertThat(collected.files().values()).allMatch(PackFileEntry::bundled);
      DfsBlockCache.reconfigure(new DfsBlockCacheConfig());
      readAll(r, pack);
      try (var reader = r.newObjectReader()) {
        assertThat(reader.getBitmapIndex()).isNotNull();
      }
    }
  }

  @Test
  void bundles_that_are_kept_take_no_more_memory_than_was_set() throws Exception {
    Bundles bundles = new Bundles(new ObservedObjectStore(store, counts), 2_000);
    byte[] bytes = new byte[1_000];
    PackFileEntry whole = new PackFileEntry(1_000, 0, Crc32c.of(bytes), 0);
    for (String key : List.of("a", "b", "c")) {
      store.put(key, bytes, 0, bytes.length);
    }
    long before = counts.snapshot().of(RequestKind.READ);
    for (String key : List.of("a", "b", "a", "c", "a", "c", "b")) {
      assertThat(bundles.read(key, 1_000, whole)).isEqualTo(bytes);
    }
    assertThat(counts.snapshot().of(RequestKind.READ) - before)
        .as("a, b, c, and b again, which was not used for the longest time")
        .isEqualTo(4);
  }
}
