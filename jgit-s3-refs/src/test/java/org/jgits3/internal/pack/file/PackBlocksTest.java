// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.pack.file;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.eclipse.jgit.errors.ConfigInvalidException;
import org.eclipse.jgit.internal.storage.dfs.DfsBlockCache;
import org.eclipse.jgit.internal.storage.dfs.DfsBlockCacheConfig;
import org.eclipse.jgit.lib.Config;
import org.eclipse.jgit.lib.Constants;
import org.eclipse.jgit.lib.ObjectId;
import org.jgits3.S3Repository;
import org.jgits3.S3RepositoryManager;
import org.jgits3.TestRepositories;
import org.jgits3.internal.store.file.DirectoryObjectStore;
import org.jgits3.internal.store.metrics.ObservedObjectStore;
import org.jgits3.internal.store.metrics.RequestCounts;
import org.jgits3.store.ObjectStore;
import org.jgits3.store.RequestKind;
import org.jgits3.testing.ForgedPack;
import org.jgits3.testing.ForkedJvm;
import org.jgits3.testing.Holds;
import org.jgits3.testing.PackBytes;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Blocks of packs, each in a process of its own, which has one block cache. */
@Holds(
    "BlockCache: No block is a humongous array for G1. All users of a cache agree on the blocks.")
class PackBlocksTest {
  private static final int ARRAY_HEADER = 16;

  /** Of the smallest that G1 has; an array of more is collected apart from others. */
  private static final int HALF_A_REGION = 512 << 10;

  @TempDir static Path directory;
  private static String usual;

  @BeforeAll
  static void receive() throws Exception {
    usual = process("");
  }

  @Test
  void a_block_is_an_array_of_at_most_half_a_region() {
    int block = Integer.parseInt(usual.substring(0, usual.indexOf(' ')));
    assertThat(block + ARRAY_HEADER).isLessThanOrEqualTo(HALF_A_REGION);
    // JGit takes as many as fit into a block of the cache, and it is to be one.
    assertThat(block).isGreaterThan(BlockCache.BLOCK_SIZE / 2);
  }

  @Test
  void what_was_received_is_read_from_the_blocks_it_was_received_in() {
    assertThat(usual).endsWith(" 0");
  }

  @Test
  void a_program_that_configured_the_cache_has_blocks_of_its_size() throws Exception {
    assertThat(process("[core \"dfs\"]\nblockSize = 128k")).isEqualTo("0 0");
  }

  private static String process(String config) throws Exception {
    return ForkedJvm.run(
        List.of(),
        ReceivingProcess.class,
        directory.resolve("s" + config.length()).toString(),
        config);
  }

  /** Receives a pack, and reads it by way of another manager. */
  static final class ReceivingProcess {
    private ReceivingProcess() {}

    /**
     * Prints the size of a block, and how many requests it took to read what is in the cache.
     *
     * @param args directory of the store, and config of the program; empty if it has none
     */
    public static void main(String[] args) throws IOException, ConfigInvalidException {
      if (!args[1].isEmpty()) {
        Config config = new Config();
        config.fromText(args[1]);
        DfsBlockCache.reconfigure(new DfsBlockCacheConfig().fromConfig(config));
      }
      Path directory = Path.of(args[0]);
      PackBytes pack = PackBytes.ofSize(3 << 20, 1);
      try (S3RepositoryManager manager = TestRepositories.manager(directory);
          S3Repository r = manager.createRepository("r")) {
        pack.pushTo(r);
      }
      RequestCounts counts = new RequestCounts();
      ObjectStore store = new ObservedObjectStore(new DirectoryObjectStore(directory), counts);
      try (S3RepositoryManager manager = TestRepositories.manager(store);
          S3Repository r = manager.openRepository("r")) {
        ObjectId file = r.resolve(pack.commit().name() + ":file"); // reads the index
        long reads = counts.snapshot().of(RequestKind.READ);
        byte[] content = r.open(file).getBytes(Integer.MAX_VALUE);
        assertThat(ForgedPack.id(Constants.OBJ_BLOB, content)).isEqualTo(file);
        int block = BlockCache.packBlockSize(DfsBlockCache.getInstance());
        System.out.println(block + " " + (counts.snapshot().of(RequestKind.READ) - reads));
      }
    }
  }
}
