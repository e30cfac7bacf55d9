// SPDX-License-Identifier: Apache-2.0
package org.jgits3.pack;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Optional;
import org.eclipse.jgit.internal.storage.dfs.ReadableChannel;
import org.jgits3.store.ObjectStore;
import org.jgits3.store.ReadAhead;

/**
 * Reads a pack in ranges: a request for each block, or ahead if JGit asks for it. Used by one
 * thread.
 */
final class PackChannel implements ReadableChannel {
  private final ObjectStore store;
  private final String key;
  private final long size;

  private long position;
  private Optional<ReadAhead> ahead = Optional.empty();
  private boolean open = true;

  PackChannel(ObjectStore store, String key, long size) {
    this.store = store;
    this.key = key;
    this.size = size;
  }

  @Override
  public int read(ByteBuffer dst) throws IOException {
    int n = ahead.isPresent() ? ahead.get().read(position, dst) : readRange(dst);
    position += Math.max(0, n);
    return n;
  }

  private int readRange(ByteBuffer dst) throws IOException {
    if (position >= size) {
      return -1;
    }
    int n = (int) Math.min(dst.remaining(), size - position);
    if (n > 0 && dst.hasArray()) {
      store.read(
          key, position, dst.array(), dst.arrayOffset() + dst.position(), n, Optional.empty());
      dst.position(dst.position() + n);
    } else if (n > 0) {
      byte[] bytes = new byte[n];
      store.read(key, position, bytes, 0, n, Optional.empty());
      dst.put(bytes);
    }
    return n;
  }

  @Override
  public long position() {
    return position;
  }

  @Override
  public void position(long newPosition) {
    position = newPosition;
  }

  @Override
  public long size() {
    return size;
  }

  /** Any: blocks are those of the cache, so that {@code core.dfs.blockSize} holds for all packs. */
  @Override
  public int blockSize() {
    return 0;
  }

  /** As documented by JGit: reads the pack with several requests in flight from now on. */
  @Override
  public void setReadAheadBytes(int bytes) {
    ahead.ifPresent(ReadAhead::close);
    ahead = bytes > 0 ? Optional.of(new ReadAhead(store, key, size, bytes)) : Optional.empty();
  }

  @Override
  public boolean isOpen() {
    return open;
  }

  @Override
  public void close() {
    open = false;
    setReadAheadBytes(0);
  }
}
