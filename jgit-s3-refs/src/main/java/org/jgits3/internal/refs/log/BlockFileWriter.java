// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.refs.log;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.eclipse.jgit.lib.ObjectId;
import org.jgits3.internal.refs.table.RefNames;
import org.jgits3.manifest.LogEntry;
import org.jgits3.manifest.RefChange;
import org.jgits3.store.Crc32c;

/** Writes a {@link BlockFile} in one pass. Holds one block and the index. Used by one thread. */
public final class BlockFileWriter {
  private final OutputStream out;
  private final BlockBuffer block = new BlockBuffer();
  private final List<BlockIndex.Block> blocks = new ArrayList<>();

  /** Entries of the index about refs; see {@link BlockIndex}. */
  private long[] refs = new long[256];

  private int refCount;
  private int refsBeforeBlock;
  private long end = BlockFile.MAGIC;
  private long generation;
  private String first = "";

  BlockFileWriter(OutputStream out, byte[] magic) throws IOException {
    this.out = out;
    out.write(magic);
  }

  /**
   * Appends a transaction, or a part of one.
   *
   * @param entry the transaction; its own changes are ignored
   * @param changes the changes, or those of the part
   * @param more true if the next entry is another part of the same transaction
   */
  void entry(LogEntry entry, List<RefChange> changes, boolean more) throws IOException {
    if (block.size() == 0) {
      generation = entry.generation();
    }
    block.entry(entry, changes, more);
    for (RefChange c : changes) {
      add(BlockFile.hash(c.ref()), blocks.size());
    }
    endBlockIfComplete();
  }

  /** Appends a change; its name is that of the one before, or after it in order. */
  void change(RefChange change) throws IOException {
    if (block.size() == 0) {
      first = change.ref();
    }
    block.change(change);
    endBlockIfComplete();
  }

  /**
   * Appends a change of a ref that is not symbolic; its name is after the one before in order.
   *
   * @param names holds the name
   * @param i index of the name
   * @param from old id; zero if the ref did not exist
   * @param to new id; zero if the ref was deleted
   */
  public void change(RefNames names, int i, ObjectId from, ObjectId to) throws IOException {
    if (block.size() == 0) {
      first = names.get(i);
    }
    block.change(names, i, from, to);
    endBlockIfComplete();
  }

  /**
   * Appends a block of another file as it is.
   *
   * @param from entry of the block in the index of the other file
   * @param bytes array with the block
   * @param offset where the block begins in it
   */
  void copy(BlockIndex.Block from, byte[] bytes, int offset) throws IOException {
    endBlock();
    generation = from.generation();
    first = from.first();
    append(bytes, offset, from.length());
  }

  /**
   * Adds the entries about refs of another file's index.
   *
   * @param from the other file's index
   * @param before blocks this file had before the first one was copied
   */
  void copyRefs(BlockIndex from, int before) {
    from.forEachRef((hash, inBlock) -> add(hash, inBlock + before));
  }

  /** Number of blocks so far. */
  int blocks() throws IOException {
    endBlock();
    return blocks.size();
  }

  private void add(int hash, int inBlock) {
    if (refCount == refs.length) {
      refs = Arrays.copyOf(refs, 2 * refCount);
    }
    refs[refCount++] = (long) hash << 32 | inBlock;
  }

  private void endBlockIfComplete() throws IOException {
    if (block.size() >= BlockFile.BLOCK) {
      endBlock();
    }
  }

  private void endBlock() throws IOException {
    if (block.size() > 0) {
      append(block.bytes(), 0, block.size());
      block.clear();
    }
  }

  private void append(byte[] bytes, int offset, int length) throws IOException {
    out.write(bytes, offset, length);
    int crc = Crc32c.of(bytes, offset, length);
    blocks.add(new BlockIndex.Block(end, length, crc, generation, first));
    end += length;
    refsBeforeBlock = sortedWithoutRepeats(refsBeforeBlock);
  }

  /** Sorts the entries and drops repeats: one entry per ref and block is enough. */
  private int sortedWithoutRepeats(int from) {
    Arrays.sort(refs, from, refCount);
    int n = from;
    for (int i = from; i < refCount; i++) {
      if (n == from || refs[n - 1] != refs[i]) {
        refs[n++] = refs[i];
      }
    }
    refCount = n;
    return n;
  }

  /**
   * Writes the index.
   *
   * @return bytes of index and trailer
   */
  int finish() throws IOException {
    endBlock();
    Arrays.sort(refs, 0, refCount);
    BlockBuffer index = new BlockBuffer();
    new BlockIndex(blocks, Arrays.copyOf(refs, refCount)).encode(index);
    out.write(index.bytes(), 0, index.size());
    ByteBuffer trailer = ByteBuffer.allocate(BlockFile.TRAILER);
    trailer.putInt(index.size());
    trailer.putInt(Crc32c.of(index.bytes(), 0, index.size()));
    out.write(trailer.array());
    return index.size() + BlockFile.TRAILER;
  }
}
