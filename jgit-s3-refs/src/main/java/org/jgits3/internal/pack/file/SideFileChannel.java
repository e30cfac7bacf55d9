// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.pack.file;

import java.nio.ByteBuffer;
import org.eclipse.jgit.internal.storage.dfs.ReadableChannel;

/** Reads a file of a pack that is complete, checked and in memory. Used by one thread. */
final class SideFileChannel implements ReadableChannel {
  private final byte[] bytes;
  private final int length;
  private int position;
  private boolean open = true;

  /**
   * Creates a channel.
   *
   * @param bytes array that begins with the file
   * @param length length of the file
   */
  SideFileChannel(byte[] bytes, int length) {
    this.bytes = bytes;
    this.length = length;
  }

  @Override
  public int read(ByteBuffer dst) {
    int n = Math.min(dst.remaining(), length - position);
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
    return length;
  }

  @Override
  public int blockSize() {
    return 0;
  }

  /** Does nothing, because all bytes are in memory. */
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
