// SPDX-License-Identifier: Apache-2.0
package org.jgits3.verify;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Optional;
import org.eclipse.jgit.internal.storage.dfs.ReadableChannel;
import org.jgits3.internal.pack.file.PositionedChannel;
import org.jgits3.internal.pack.file.RangeChecksums;
import org.jgits3.internal.store.cache.LruCache;

/**
 * Reads another channel in aligned blocks, and keeps the most recently used ones. JGit's fsck reads
 * a pack from front to end in pieces of some kilobytes, and then its deltas in no order. Used by
 * one thread.
 */
final class BlockwiseChannel extends PositionedChannel {
  /** Bytes of a block: about 1 MiB. */
  private static final int BLOCK = 16 * RangeChecksums.RANGE;

  /** Blocks that are kept. */
  private static final int KEPT = 32;

  private final ReadableChannel channel;
  private final long size;

  private final LruCache<Long, byte[]> blocks = new LruCache<>(KEPT);

  /**
   * Reads nothing yet.
   *
   * @param channel channel of a file, closed with this one
   * @throws IOException if its size cannot be read
   */
  BlockwiseChannel(ReadableChannel channel) throws IOException {
    this.channel = channel;
    this.size = channel.size();
  }

  @Override
  protected int read(long position, ByteBuffer dst) throws IOException {
    if (position >= size) {
      return -1;
    }
    byte[] block = block(position / BLOCK);
    int at = (int) (position % BLOCK);
    int n = Math.min(dst.remaining(), block.length - at);
    dst.put(block, at, n);
    return n;
  }

  private byte[] block(long number) throws IOException {
    Optional<byte[]> known = blocks.get(number);
    if (known.isPresent()) {
      return known.get();
    }
    long from = number * BLOCK;
    ByteBuffer block = ByteBuffer.allocate((int) Math.min(BLOCK, size - from));
    channel.position(from);
    while (block.hasRemaining()) {
      if (channel.read(block) < 0) {
        throw new EOFException();
      }
    }
    blocks.put(number, block.array(), 1);
    return block.array();
  }

  @Override
  public long size() {
    return size;
  }

  @Override
  public int blockSize() {
    return channel.blockSize();
  }

  @Override
  public void close() throws IOException {
    super.close();
    channel.close();
  }
}
