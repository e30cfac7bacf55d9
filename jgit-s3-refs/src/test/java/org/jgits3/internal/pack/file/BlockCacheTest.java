// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.pack.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.eclipse.jgit.errors.ConfigInvalidException;
import org.eclipse.jgit.internal.storage.dfs.DfsBlockCache;
import org.eclipse.jgit.internal.storage.dfs.DfsBlockCacheConfig;
import org.eclipse.jgit.lib.Config;
import org.jgits3.S3Settings;
import org.jgits3.testing.ForkedJvm;
import org.jgits3.testing.Holds;
import org.junit.jupiter.api.Test;

@Holds(
    "BlockCache: The cache of pack data is configured once, and never over the program's own "
        + "configuration")
class BlockCacheTest {
  private static final int MIB = 1 << 20;

  private static Config config(String text) throws ConfigInvalidException {
    Config config = new Config();
    config.fromText(text);
    return config;
  }

  private static DfsBlockCacheConfig configuration(String text) throws ConfigInvalidException {
    return BlockCache.configuration(config(text), 256L * MIB);
  }

  @Test
  void blocks_take_a_quarter_of_the_heap_by_default_and_less_of_a_small_one() throws Exception {
    DfsBlockCacheConfig cache = configuration("");
    assertThat(cache.getBlockSize()).isEqualTo(BlockCache.BLOCK_SIZE);
    assertThat(cache.getBlockLimit()).isEqualTo(32L * MIB);
    assertThat(BlockCache.configuration(new Config(), 8192L * MIB).getBlockLimit())
        .isEqualTo(2048L * MIB);
    assertThat(cache.getConcurrencyLevel()).isEqualTo(BlockCache.LOCKS).isGreaterThan(64);
  }

  @Test
  void the_dfs_section_is_read_as_jgit_reads_it() throws Exception {
    DfsBlockCacheConfig cache =
        configuration(
            "[core \"dfs\"]\nblockLimit = 96m\nblockSize = 1m\nstreamRatio = 0.5\n"
                + "concurrencyLevel = 7");
    assertThat(cache.getBlockLimit()).isEqualTo(96L * MIB);
    assertThat(cache.getBlockSize()).isEqualTo(MIB);
    assertThat(cache.getStreamRatio()).isEqualTo(0.5);
    assertThat(cache.getConcurrencyLevel()).isEqualTo(7);
  }

  @Test
  void the_default_limit_suits_any_block_size() throws Exception {
    assertThat(configuration("[core \"dfs\"]\nblockSize = 4m").getBlockLimit())
        .isEqualTo(64L * MIB);
    assertThat(BlockCache.configuration(new Config(), MIB).getBlockLimit())
        .isEqualTo(16L * BlockCache.BLOCK_SIZE);
  }

  @Test
  void a_wrong_value_is_named_by_its_section() throws Exception {
    Config odd = config("[core \"dfs\"]\nblockSize = 300k");
    assertThatThrownBy(() -> S3Settings.from(odd, "FILE"))
        .isInstanceOf(ConfigInvalidException.class)
        .hasMessageStartingWith("FILE: [core \"dfs\"]: ");
    Config uneven = config("[core \"dfs\"]\nblockSize = 1m\nblockLimit = 1500k");
    assertThatThrownBy(() -> S3Settings.from(uneven, "FILE"))
        .isInstanceOf(ConfigInvalidException.class)
        .hasMessageContaining("blockLimit");
  }

  @Test
  void it_is_configured_once_and_never_over_what_the_program_did() throws Exception {
    assertThat(process("")).isEqualTo("true false true");
    assertThat(process("[core \"dfs\"]\nblockLimit = 1m")).isEqualTo("false false false");
  }

  /** Runs {@link ConfiguringProcess}, since the cache of this process is configured already. */
  private static String process(String config) throws Exception {
    return ForkedJvm.run(List.of(), ConfiguringProcess.class, config);
  }

  /** A program that configures the cache itself, and then has it configured twice. */
  static final class ConfiguringProcess {
    private ConfiguringProcess() {}

    /**
     * Prints whether either call did, and whether it is another cache than before.
     *
     * @param args config of the program; empty if it has none
     */
    public static void main(String[] args) throws ConfigInvalidException {
      if (!args[0].isEmpty()) {
        DfsBlockCache.reconfigure(new DfsBlockCacheConfig().fromConfig(config(args[0])));
      }
      DfsBlockCache before = DfsBlockCache.getInstance();
      boolean first = BlockCache.configureOnce(new Config());
      boolean second = BlockCache.configureOnce(new Config());
      System.out.println(first + " " + second + " " + (DfsBlockCache.getInstance() != before));
    }
  }
}
