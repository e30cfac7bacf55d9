// SPDX-License-Identifier: Apache-2.0
package org.jgits3.pack;

import java.nio.ByteBuffer;
import org.eclipse.jgit.internal.storage.dfs.ReadableChannel;

/** An index or another side file of a pack, whole and checked, in memory. Used by one thread. */
final class SideFileChannel implements ReadableChannel {
  private final byte[] bytes;
  private int position;
  private boolean open = true;

  SideFileChannel(byte[] bytes) {
    this.bytes = bytes;
  }

  @Override
  public int read(ByteBuffer dst) {
    int n = Math.min(dst.remaining(), bytes.length - position);
    if (n <= 0) {
      return dst.hasRemaining() ? -1 : 0;
    }
    dst.put(bytes, position, n);
    position += n;
    return n;
  }

  @Override
  public long position() {
    return position;
  }

  @Override
  public void position(long newPosition) {
    position = Math.toIntExact(newPosition);
  }

  @Override
  public long size() {
    return bytes.length;
  }

  @Override
  public int blockSize() {
    return 0;
  }

  /** Not needed: everything is here. */
  @Override
  public void setReadAheadBytes(int bytes) {}

  @Override
  public boolean isOpen() {
    return open;
  }

  @Override
  public void close() {
    open = false;
  }
}
