// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.refs.log;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jgits3.internal.function.IoConsumer;
import org.jgits3.manifest.StoredObject;
import org.jgits3.store.Crc32c;
import org.jgits3.store.ObjectStore;
import org.jgits3.store.StoreException;

/**
 * Reads the parts of a {@link BlockFile} that are needed. A file of up to {@value #WHOLE} bytes is
 * one request; of a larger one the index is a request, and each run of blocks another. Holds the
 * bytes read last. Used by one thread.
 */
public final class BlockFileReader {
  /** Bytes up to which a file is read whole. */
  static final int WHOLE = 256 << 10;

  /** Bytes that are read at once where blocks are read in order. */
  private static final int RUN = 1 << 20;

  private final ObjectStore store;
  private final String key;
  private final long size;
  private final BlockIndex index;

  /** Bytes read last, and their offset in the file. */
  private byte[] held;

  private long heldFrom;

  /**
   * Reads the index of a file, and the rest of it if it is small.
   *
   * @param store store of the object
   * @param key its key
   * @param magic expected first bytes
   * @param object length and checksum
   * @param indexSize bytes of index and trailer, or a guess
   * @throws StoreException.Corrupt if its bytes are not those that were written
   * @throws IOException if it cannot be read
   */
  BlockFileReader(ObjectStore store, String key, byte[] magic, StoredObject object, int indexSize)
      throws IOException {
    this.store = store;
    this.key = key;
    this.size = object.size();
    if (size < BlockFile.MAGIC + BlockFile.TRAILER) {
      throw corrupt("is too short", null);
    }
    if (size <= WHOLE) {
      read(0, size);
      checkWhole(magic, object.crc32c());
    } else {
      long end = Math.min(size, Math.max(indexSize, BlockFile.TRAILER));
      read(size - end, size);
    }
    this.index = readIndex();
  }

  private void checkWhole(byte[] magic, int crc32c) throws StoreException.Corrupt {
    if (Crc32c.of(held, 0, held.length) != crc32c) {
      throw corrupt("has another checksum than the manifest says", null);
    }
    if (!Arrays.equals(held, 0, BlockFile.MAGIC, magic, 0, BlockFile.MAGIC)) {
      throw corrupt("has a format that this version does not know", null);
    }
  }

  private BlockIndex readIndex() throws IOException {
    ByteBuffer trailer = ByteBuffer.wrap(held, held.length - BlockFile.TRAILER, BlockFile.TRAILER);
    int length = trailer.getInt();
    int crc = trailer.getInt();
    long from = size - BlockFile.TRAILER - length;
    if (length < 0 || from < BlockFile.MAGIC) {
      throw corrupt("has no index", null);
    }
    if (from < heldFrom) {
      read(from, size);
    }
    int at = (int) (from - heldFrom);
    if (Crc32c.of(held, at, length) != crc) {
      throw corrupt("has an index with a wrong checksum", null);
    }
    try {
      BlockIndex read = BlockIndex.decode(new BlockCursor(held, at, length));
      if (read.end() != from) {
        throw corrupt("has an index of other blocks", null);
      }
      return read;
    } catch (IllegalArgumentException | ArithmeticException e) {
      throw corrupt("has an unreadable index", e);
    }
  }

  public BlockIndex index() {
    return index;
  }

  /** A cursor at the beginning of a block, which is read if it is not held. */
  BlockCursor block(int number) throws IOException {
    return open(index.blocks().get(number), index.blocks().get(number).end());
  }

  /** A cursor at the beginning of a block, which is read with those after it. */
  public BlockCursor blockAndOn(int number) throws IOException {
    BlockIndex.Block block = index.blocks().get(number);
    long end =
        index.blocks().stream()
            .mapToLong(BlockIndex.Block::end)
            .filter(each -> each <= block.offset() + RUN)
            .max()
            .orElse(0);
    return open(block, Math.max(end, block.end()));
  }

  /**
   * Passes on what the blocks have, in order.
   *
   * @param read reads the next element of a block
   * @param each receives the elements
   * @throws IOException if a block cannot be read, or {@code each} fails
   */
  <T> void forEach(Function<BlockCursor, T> read, IoConsumer<T> each) throws IOException {
    for (int i = 0; i < index.blocks().size(); i++) {
      BlockCursor block = blockAndOn(i);
      while (!block.atEnd()) {
        each.accept(readable(() -> read.apply(block)));
      }
    }
  }

  private BlockCursor open(BlockIndex.Block block, long end) throws IOException {
    if (block.offset() < heldFrom || block.end() > heldFrom + held.length) {
      read(block.offset(), end);
    }
    int at = (int) (block.offset() - heldFrom);
    if (Crc32c.of(held, at, block.length()) != block.crc32c()) {
      throw corrupt("has a block with a wrong checksum at " + block.offset(), null);
    }
    return new BlockCursor(held, at, block.length());
  }

  private void read(long from, long to) throws IOException {
    byte[] bytes = new byte[Math.toIntExact(to - from)];
    store.read(key, from, bytes, 0, bytes.length, Optional.empty());
    held = bytes;
    heldFrom = from;
  }

  /**
   * Reads from a block, and turns the failures of a cursor into a damaged object.
   *
   * @param <T> type of the value
   * @param read reads the value through a cursor
   * @return the value
   * @throws StoreException.Corrupt if the bytes of the block do not hold such a value
   */
  public <T> T readable(Supplier<T> read) throws StoreException.Corrupt {
    try {
      return read.get();
    } catch (IllegalArgumentException | ArithmeticException e) {
      throw corrupt("has an unreadable block", e);
    }
  }

  /**
   * Creates the exception for bytes that differ from those written.
   *
   * @param what description of the damage
   * @param cause exception that revealed it, or null
   */
  private StoreException.Corrupt corrupt(String what, Throwable cause) {
    return new StoreException.Corrupt(
        key, "log object " + key + " " + what + "; restore it from a copy", cause);
  }
}
