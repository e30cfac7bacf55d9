// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.pack.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.eclipse.jgit.errors.MissingObjectException;
import org.eclipse.jgit.internal.storage.dfs.DfsBlockCache;
import org.eclipse.jgit.internal.storage.dfs.DfsBlockCacheConfig;
import org.eclipse.jgit.internal.storage.dfs.ReadableChannel;
import org.eclipse.jgit.internal.storage.pack.PackExt;
import org.eclipse.jgit.internal.storage.pack.PackWriter;
import org.eclipse.jgit.lib.Constants;
import org.eclipse.jgit.lib.NullProgressMonitor;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.revwalk.ObjectWalk;
import org.eclipse.jgit.storage.pack.PackConfig;
import org.jgits3.S3Repository;
import org.jgits3.S3RepositoryManager;
import org.jgits3.TestRepositories;
import org.jgits3.internal.store.file.DirectoryObjectStore;
import org.jgits3.store.DelegatingObjectStore;
import org.jgits3.store.ObjectVersion;
import org.jgits3.store.ReadRequest;
import org.jgits3.store.StoreContent;
import org.jgits3.store.StoreException;
import org.jgits3.testing.ForgedPack;
import org.jgits3.testing.Holds;
import org.jgits3.testing.PackBytes;
import org.jgits3.testing.aid.StoredFiles;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Packs whose bytes are damaged in transit, or in the store. */
@Holds(
    "PackFiles, PackChannel, RangeChecksums, PackOutput: Every byte of a pack is compared with "
        + "its checksum before use, read again if it differs, and then an error with key and range")
@Timeout(120) // what is kept on a disk is fetched in the background
class PackDamageTest {
  private static final int SIZE = 3 << 20;

  @TempDir Path directory;
  @TempDir Path disk;
  private static PackBytes pack;
  private int clones;

  @BeforeAll
  static void make_pack() throws IOException {
    pack = PackBytes.ofSize(SIZE, 1);
  }

  @BeforeEach
  void write() throws Exception {
    try (S3RepositoryManager manager = TestRepositories.manager(directory);
        S3Repository r = manager.createRepository("r")) {
      pack.pushTo(r);
      TestRepositories.createRef(r, "refs/heads/main", pack.commit());
    }
    forget();
  }

  @AfterEach
  void forget() {
    DfsBlockCache.reconfigure(new DfsBlockCacheConfig());
  }

  /** Flips a bit of the answers to some reads of some files. */
  private final class FlippingStore extends DelegatingObjectStore {
    private final String extension;

    /** Reads to answer well before one is not. */
    final AtomicInteger good = new AtomicInteger();

    /** Answers to damage after those. */
    final AtomicInteger flips = new AtomicInteger();

    /** Lengths of the reads. */
    final Queue<Integer> reads = new ConcurrentLinkedQueue<>();

    FlippingStore(String extension) throws IOException {
      super(new DirectoryObjectStore(directory));
      this.extension = extension;
    }

    /** Damages one answer, after some good ones. */
    void flipAfter(int read) {
      good.set(read);
      flips.set(1);
    }

    @Override
    public ObjectVersion read(ReadRequest range) throws IOException {
      ObjectVersion version = super.read(range);
      if (range.key().endsWith(extension)) {
        reads.add(range.length());
        if (good.getAndDecrement() <= 0 && flips.getAndDecrement() > 0) {
          range.dst()[range.dstOffset() + range.length() / 2] ^= 4;
        }
      }
      return version;
    }
  }

  private void readFile(S3Repository r) throws IOException {
    ObjectId file = r.resolve(pack.commit().name() + ":file");
    byte[] content = r.open(file).getBytes(Integer.MAX_VALUE);
    assertThat(ForgedPack.id(Constants.OBJ_BLOB, content)).isEqualTo(file);
  }

  private void clone(S3Repository r) throws Exception {
    PackConfig whole = new PackConfig(r);
    ByteArrayOutputStream sent = new ByteArrayOutputStream();
    try (PackWriter writer = new PackWriter(whole, r.newObjectReader());
        ObjectWalk walk = new ObjectWalk(r)) {
      writer.setUseCachedPacks(true);
      writer.setUseBitmaps(true);
      writer.preparePack(
          NullProgressMonitor.INSTANCE, walk, Set.of(pack.commit()), Set.of(), Set.of());
      writer.writePack(NullProgressMonitor.INSTANCE, NullProgressMonitor.INSTANCE, sent);
    }
    try (S3RepositoryManager other = TestRepositories.manager(disk.resolve("other"));
        S3Repository copy = other.createRepository("copy" + ++clones)) {
      new PackBytes(sent.toByteArray(), pack.commit()).pushTo(copy);
      readFile(copy);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 3, 4, 5})
  void a_bit_that_is_flipped_in_transit_changes_no_answer(int read) throws Exception {
    FlippingStore store = new FlippingStore(".pack");
    try (S3RepositoryManager manager = TestRepositories.manager(store);
        S3Repository r = manager.openRepository("r")) {
      store.flipAfter(read);
      readFile(r);
      assertThat(store.flips).hasValueLessThanOrEqualTo(0);
      readFile(r);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 3})
  void a_bit_that_is_flipped_in_transit_fails_no_collection(int read) throws Exception {
    FlippingStore store = new FlippingStore(".pack");
    try (S3RepositoryManager manager = TestRepositories.manager(store)) {
      store.flipAfter(read);
      manager.maintenance("r").repack(NullProgressMonitor.INSTANCE);
      assertThat(store.flips).hasValueLessThanOrEqualTo(0);
      try (S3Repository r = manager.openRepository("r")) {
        readFile(r);
      }
    }
  }

  @Test
  void a_bit_that_is_flipped_in_transit_is_not_sent_to_a_client() throws Exception {
    try (S3RepositoryManager manager = TestRepositories.manager(directory)) {
      manager.maintenance("r").repack(NullProgressMonitor.INSTANCE);
    }
    for (int read = 0; read < 3; read++) {
      forget();
      FlippingStore store = new FlippingStore(".pack");
      try (S3RepositoryManager manager = TestRepositories.manager(store);
          S3Repository r = manager.openRepository("r")) {
        store.flipAfter(read);
        clone(r);
      }
    }
  }

  @Holds(
      "PackChannel, S3Reader: An object that cannot be read is neither reported as missing nor "
          + "looked for repeatedly")
  @Test
  void damage_in_the_store_is_an_error_with_key_and_range_not_a_miss() throws Exception {
    Path file = StoredFiles.only(directory, ".pack");
    byte[] good = Files.readAllBytes(file);
    byte[] bad = StoreContent.flipped(good, SIZE / 2);
    try (S3RepositoryManager manager = TestRepositories.manager(directory);
        S3Repository r = manager.openRepository("r")) {
      Files.write(file, bad);
      assertNamed(file, () -> readFile(r));
      assertNamed(file, () -> clone(r));
      assertNamed(file, () -> manager.maintenance("r").repack(NullProgressMonitor.INSTANCE));
      Files.write(file, good);
      readFile(r);
      clone(r);
      manager.maintenance("r").repack(NullProgressMonitor.INSTANCE);
      readFile(r);
    }
  }

  @Test
  void checksums_are_read_alone_where_the_index_is_not_read() throws Exception {
    FlippingStore store = new FlippingStore(".idx");
    try (S3RepositoryManager manager = TestRepositories.manager(store);
        S3Repository r = manager.openRepository("r")) {
      store.flipAfter(0);
      var stored =
          new S3PackDescription(
              r.getDescription(), r.manifest().repositoryId(), r.manifest().packs().get(0));
      for (int i = 0; i < 2; i++) {
        try (ReadableChannel in = r.getObjectDatabase().openFile(stored, PackExt.PACK)) {
          byte[] read = new byte[RangeChecksums.RANGE + 1];
          in.position(7);
          assertThat(in.read(ByteBuffer.wrap(read))).isEqualTo(read.length);
          assertThat(read).isEqualTo(Arrays.copyOfRange(pack.bytes(), 7, 7 + read.length));
        }
      }
      int length = RangeChecksums.length(pack.bytes().length, RangeChecksums.RANGE);
      assertThat(store.reads).as("and kept").containsExactly(length, length);
    }
  }

  private static void assertNamed(Path file, ThrowingCallable c) {
    assertThatThrownBy(c)
        .isInstanceOf(IOException.class)
        .isNotInstanceOf(MissingObjectException.class)
        .hasStackTraceContaining(StoreException.Corrupt.class.getName())
        .hasStackTraceContaining(file.getFileName().toString())
        .hasStackTraceContaining("from byte ");
  }
}
