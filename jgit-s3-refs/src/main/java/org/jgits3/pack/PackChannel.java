// SPDX-License-Identifier: Apache-2.0
package org.jgits3.pack;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Optional;
import org.eclipse.jgit.internal.storage.dfs.ReadableChannel;
import org.jgits3.store.ObjectStore;

/** Reads a pack in ranges, a request for each block or read-ahead window. Used by one thread. */
final class PackChannel implements ReadableChannel {
  /** Size and alignment of random reads in bytes. */
  static final int BLOCK_SIZE = 256 << 10;

  private final ObjectStore store;
  private final String key;
  private final long size;

  private long position;
  private int readAhead;
  private byte[] window = new byte[0];
  private long windowStart;
  private int windowLength;
  private boolean open = true;

  PackChannel(ObjectStore store, String key, long size) {
    this.store = store;
    this.key = key;
    this.size = size;
  }

  @Override
  public int read(ByteBuffer dst) throws IOException {
    if (position >= size) {
      return -1;
    }
    if (readAhead > 0) {
      return readThroughWindow(dst);
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
    position += n;
    return n;
  }

  private int readThroughWindow(ByteBuffer dst) throws IOException {
    if (position < windowStart || position >= windowStart + windowLength) {
      fill(Math.max(readAhead, dst.remaining()));
    }
    int at = (int) (position - windowStart);
    int n = Math.min(dst.remaining(), windowLength - at);
    dst.put(window, at, n);
    position += n;
    return n;
  }

  private void fill(int wanted) throws IOException {
    int n = (int) Math.min(wanted, size - position);
    if (window.length < n) {
      window = new byte[n];
    }
    windowLength = 0;
    store.read(key, position, window, 0, n, Optional.empty());
    windowStart = position;
    windowLength = n;
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

  @Override
  public int blockSize() {
    return BLOCK_SIZE;
  }

  @Override
  public void setReadAheadBytes(int bytes) {
    readAhead = bytes;
  }

  @Override
  public boolean isOpen() {
    return open;
  }

  @Override
  public void close() {
    open = false;
    window = new byte[0];
    windowLength = 0;
  }
}
