// SPDX-License-Identifier: Apache-2.0
package org.jgits3.pack;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.eclipse.jgit.internal.storage.dfs.ReadableChannel;
import org.jgits3.store.CachedObject;
import org.jgits3.store.DiskCache;
import org.jgits3.store.StoreException;

/** Reads a pack from the local disk, and from the store if that fails. Used by one thread. */
final class CachedChannel implements ReadableChannel {
  private final DiskCache cache;
  private final String key;
  private final CachedObject object;
  private final PackChannel stored;
  private long position;
  private boolean fails;

  CachedChannel(DiskCache cache, String key, CachedObject object, PackChannel stored) {
    this.cache = cache;
    this.key = key;
    this.object = object;
    this.stored = stored;
  }

  @Override
  public int read(ByteBuffer dst) throws IOException {
    if (position >= size()) {
      return -1;
    }
    int n = fails ? readStored(dst) : readCached(dst);
    position += Math.max(0, n);
    return n;
  }

  private int readCached(ByteBuffer dst) throws IOException {
    try {
      return object.read(position, dst);
    } catch (StoreException.Corrupt e) {
      cache.damaged(key, e);
    } catch (IOException e) {
      cache.unreadable(key, e);
    }
    fails = true;
    return readStored(dst);
  }

  private int readStored(ByteBuffer dst) throws IOException {
    stored.position(position);
    return stored.read(dst);
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
    return stored.size();
  }

  @Override
  public int blockSize() {
    return stored.blockSize();
  }

  @Override
  public void setReadAheadBytes(int bytes) {
    stored.setReadAheadBytes(bytes);
  }

  @Override
  public boolean isOpen() {
    return stored.isOpen();
  }

  @Override
  public void close() throws IOException {
    stored.close();
    object.close();
  }
}
