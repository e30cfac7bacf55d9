// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.refs.log;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.eclipse.jgit.lib.ObjectId;
import org.jgits3.manifest.LogEntry;
import org.jgits3.manifest.RefChange;
import org.jgits3.store.Crc32c;

/** Writes a {@link BlockFile} in one pass. Holds one block and the index. Used by one thread. */
public final class BlockFileWriter {
  private final OutputStream out;
  private final BlockBuffer block = new BlockBuffer();
  private final List<BlockIndex.Block> blocks = new ArrayList<>();

  /** Entries of the index about refs, with repeats; see {@link BlockIndex}. */
  private final LongStream.Builder refs = LongStream.builder();

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
      refs.add((long) BlockFile.hash(c.ref()) << 32 | blocks.size());
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
   * @param bytes holds the name; not changed until the next change was appended
   * @param start start of the name
   * @param end end of the name
   * @param from old id; zero if the ref did not exist
   * @param to new id; zero if the ref was deleted
   */
  public void change(byte[] bytes, int start, int end, ObjectId from, ObjectId to)
      throws IOException {
    if (block.size() == 0) {
      first = new String(bytes, start, end - start, UTF_8);
    }
    block.change(bytes, start, end, from, to);
    endBlockIfComplete();
  }

  private void endBlockIfComplete() throws IOException {
    if (block.size() >= BlockFile.BLOCK) {
      endBlock();
    }
  }

  private void endBlock() throws IOException {
    if (block.size() == 0) {
      return;
    }
    out.write(block.bytes(), 0, block.size());
    int crc = Crc32c.of(block.bytes(), 0, block.size());
    blocks.add(new BlockIndex.Block(end, block.size(), crc, generation, first));
    end += block.size();
    block.clear();
  }

  /**
   * Writes the index.
   *
   * @return bytes of index and trailer
   */
  int finish() throws IOException {
    endBlock();
    BlockBuffer index = new BlockBuffer();
    new BlockIndex(blocks, refs.build().sorted().distinct().toArray()).encode(index);
    out.write(index.bytes(), 0, index.size());
    ByteBuffer trailer = ByteBuffer.allocate(BlockFile.TRAILER);
    trailer.putInt(index.size());
    trailer.putInt(Crc32c.of(index.bytes(), 0, index.size()));
    out.write(trailer.array());
    return index.size() + BlockFile.TRAILER;
  }
}
