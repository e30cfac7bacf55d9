// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.pack.file;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.eclipse.jgit.internal.storage.dfs.ReadableChannel;

/** Channel with a position that advances with each read. Used by one thread. */
public abstract class PositionedChannel implements ReadableChannel {
  private long position;
  private boolean open = true;

  /**
   * Reads bytes at a position.
   *
   * @param from the position
   * @param dst buffer that receives them
   * @return how many were read; -1 at the end
   * @throws IOException if they cannot be read
   */
  protected abstract int read(long from, ByteBuffer dst) throws IOException;

  @Override
  public final int read(ByteBuffer dst) throws IOException {
    int n = read(position, dst);
    position += Math.max(0, n);
    return n;
  }

  @Override
  public final long position() {
    return position;
  }

  @Override
  public final void position(long newPosition) {
    position = newPosition;
  }

  /**
   * Returns 0: blocks are those of the cache, so that {@code core.dfs.blockSize} holds for all
   * packs.
   */
  @Override
  public int blockSize() {
    return 0;
  }

  /** Does nothing, unless overridden. */
  @Override
  public void setReadAheadBytes(int bytes) throws IOException {}

  @Override
  public final boolean isOpen() {
    return open;
  }

  @Override
  public void close() throws IOException {
    open = false;
  }
}
