// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.pack;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.eclipse.jgit.internal.storage.dfs.DfsBlockCache;
import org.eclipse.jgit.internal.storage.dfs.DfsBlockCacheConfig;
import org.eclipse.jgit.lib.ObjectId;
import org.jgits3.S3Repository;
import org.jgits3.S3RepositoryManager;
import org.jgits3.TestRepositories;
import org.jgits3.internal.store.file.DirectoryObjectStore;
import org.jgits3.internal.store.metrics.ObservedObjectStore;
import org.jgits3.internal.store.metrics.RequestCounts;
import org.jgits3.store.RequestKind;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Packs that are kept on a local disk as well. */
@Timeout(120) // they are fetched in the background
class DiskCachedPackTest {
  @TempDir Path directory;
  @TempDir Path disk;
  private final RequestCounts counts = new RequestCounts();
  private final byte[] bytes = new byte[1200 << 10]; // so large that its pack is no bundle
  private ObjectId id;

  @BeforeEach
  void write() throws Exception {
    new Random(1).nextBytes(bytes);
    try (S3RepositoryManager elsewhere = TestRepositories.manager(directory);
        S3Repository there = elsewhere.createRepository("r")) {
      id = TestRepositories.blob(there, bytes);
    }
  }

  @AfterEach
  void forget() {
    DfsBlockCache.reconfigure(new DfsBlockCacheConfig());
  }

  /**
   * Reads the blob as a process that was just started; returns the bytes it took from the store.
   */
  private long read(boolean waits) throws Exception {
    DfsBlockCache.reconfigure(new DfsBlockCacheConfig());
    RequestCounts.Snapshot before = counts.snapshot();
    try (S3RepositoryManager manager =
            TestRepositories.manager(
                new ObservedObjectStore(new DirectoryObjectStore(directory), counts),
                "[s3 \"cache\"]\ndirectory = " + disk);
        S3Repository here = manager.openRepository("r")) {
      assertThat(here.open(id).getBytes(Integer.MAX_VALUE)).isEqualTo(bytes);
      while (waits && kept().size() < 2) { // the pack and its index
        Thread.onSpinWait();
      }
    }
    return counts.snapshot().since(before).bytes().get(RequestKind.READ);
  }

  private List<Path> kept() throws IOException {
    try (Stream<Path> files = Files.list(disk)) {
      return files.filter(file -> file.toString().endsWith(".object")).toList();
    }
  }

  @Test
  void a_pack_that_was_read_once_is_not_read_from_the_store_again() throws Exception {
    assertThat(read(true)).isGreaterThan(bytes.length);
    assertThat(read(false)).isZero();
  }

  @Test
  void damage_on_the_disk_is_noticed_and_the_pack_fetched_again() throws Exception {
    read(true);
    for (Path file : kept()) {
      byte[] damaged = Files.readAllBytes(file);
      for (int at = 0; at < damaged.length; at += 1000) {
        damaged[at] ^= 1;
      }
      Files.write(file, damaged);
    }
    read(false); // the right bytes, and the files are gone
    assertThat(read(true)).isPositive();
    assertThat(read(false)).isZero();
  }

  @Test
  void a_directory_that_cannot_be_used_is_only_no_help() throws Exception {
    Files.delete(disk);
    Files.writeString(disk, "a file");
    assertThat(read(false)).isPositive();
    Files.delete(disk);
    Files.createDirectory(disk);
  }
}
