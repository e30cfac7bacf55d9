// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.refs.log;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.jgits3.internal.refs.table.RefOrder;

/**
 * Index of a {@link BlockFile}: position and first entry of each block, and the blocks that mention
 * a ref. Costs a segment about five bytes for each ref of each block. Immutable.
 */
public final class BlockIndex {
  private final List<Block> blocks;

  /** Hash of a ref's name in the upper half, number of a block in the lower one; sorted. */
  private final long[] refs;

  /**
   * An index.
   *
   * @param blocks the blocks, in order
   * @param refs hash of a ref's name in the upper half, number of a block in the lower one; sorted;
   *     empty if the blocks are sorted by name; not copied
   */
  BlockIndex(List<Block> blocks, long[] refs) {
    this.blocks = List.copyOf(blocks);
    this.refs = refs;
  }

  public List<Block> blocks() {
    return blocks;
  }

  /**
   * Position of a block, and its first entry.
   *
   * @param offset its first byte
   * @param length its bytes
   * @param crc32c their checksum
   * @param generation that of its first transaction; 0 where there are none
   * @param first its first name, where blocks are sorted by name; else empty
   */
  record Block(long offset, int length, int crc32c, long generation, String first) {
    long end() {
      return offset + length;
    }
  }

  /** First byte after the last block. */
  long end() {
    return blocks.isEmpty() ? BlockFile.MAGIC : blocks.get(blocks.size() - 1).end();
  }

  /** Tests whether a block may mention a ref. */
  boolean mentions(String ref, int block) {
    return Arrays.binarySearch(refs, (long) BlockFile.hash(ref) << 32 | block) >= 0;
  }

  /** Tests whether a block of a file sorted by name may hold a name. */
  boolean holds(String name, int block) {
    RefOrder order = RefOrder.INSTANCE;
    return order.compare(blocks.get(block).first(), name) <= 0
        && (block + 1 == blocks.size() || order.compare(blocks.get(block + 1).first(), name) >= 0);
  }

  /**
   * Number of the first block with transactions after a generation.
   *
   * @param generation the generation
   * @return number of the block that they begin in
   */
  public int after(long generation) {
    int n = 0;
    while (n + 1 < blocks.size() && blocks.get(n + 1).generation() <= generation) {
      n++;
    }
    return n;
  }

  void encode(BlockBuffer out) {
    out.number(blocks.size());
    long generation = 0;
    for (Block b : blocks) {
      out.number(b.length());
      out.number(Integer.toUnsignedLong(b.crc32c()));
      out.number(b.generation() - generation);
      out.text(Optional.of(b.first()));
      generation = b.generation();
    }
    out.number(refs.length);
    long hash = 0;
    for (long ref : refs) {
      out.number((ref >>> 32) - hash);
      out.number(ref & Integer.MAX_VALUE);
      hash = ref >>> 32;
    }
  }

  /**
   * Reads an index.
   *
   * @param in its bytes
   * @return the index
   * @throws IllegalArgumentException if they are no index
   */
  static BlockIndex decode(BlockCursor in) {
    List<Block> blocks = new ArrayList<>();
    long offset = BlockFile.MAGIC;
    long generation = 0;
    for (long left = in.number(); left > 0; left--) {
      int length = Math.toIntExact(in.number());
      int crc = (int) in.number();
      generation += in.number();
      blocks.add(new Block(offset, length, crc, generation, in.text()));
      offset += length;
    }
    long[] refs = new long[Math.toIntExact(in.count(2))];
    long hash = 0;
    for (int i = 0; i < refs.length; i++) {
      hash += in.number();
      long block = in.number();
      if (hash > Integer.MAX_VALUE || block >= blocks.size()) {
        throw new IllegalArgumentException("an index that leads nowhere");
      }
      refs[i] = hash << 32 | block;
    }
    return new BlockIndex(blocks, refs);
  }
}
