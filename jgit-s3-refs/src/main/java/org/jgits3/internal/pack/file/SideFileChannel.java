// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.pack.file;

import java.nio.ByteBuffer;

/** Reads a file of a pack that is complete, checked and in memory. Used by one thread. */
final class SideFileChannel extends PositionedChannel {
  private final byte[] bytes;
  private final int length;

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
  protected int read(long position, ByteBuffer dst) {
    int n = (int) Math.min(dst.remaining(), length - position);
    if (n <= 0) {
      return dst.hasRemaining() ? -1 : 0;
    }
    dst.put(bytes, (int) position, n);
    return n;
  }

  @Override
  public long size() {
    return length;
  }
}
