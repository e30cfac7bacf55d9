// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.transfer;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.Optional;
import org.jgits3.store.ObjectVersion;
import org.jgits3.store.ReadListener;

/**
 * A range that goes on to its place in a file as it arrives, in pieces that the processor's cache
 * still has, and of one size, so that the channel needs one small buffer outside the heap. A range
 * that begins again is written again. Used by one thread.
 */
final class FileLanding implements ReadListener {
  /** Bytes that are written at once: as many as a socket of the JDK gives at most. */
  static final int PIECE = 128 << 10;

  private final FileChannel out;
  private final long position;
  private final byte[] range;

  /** Bytes of the array that are in the file. */
  private int written;

  /** Bytes of the array that have arrived. */
  private int arrived;

  private Optional<IOException> failure = Optional.empty();

  /**
   * A range.
   *
   * @param out the file
   * @param position where in it the range begins
   * @param range array that receives the range, from its beginning
   */
  FileLanding(FileChannel out, long position, byte[] range) {
    this.out = out;
    this.position = position;
    this.range = range;
  }

  @Override
  public void begins(ObjectVersion version) {
    written = 0;
    arrived = 0;
  }

  /** Writes all whole pieces. What fails is kept for {@link #end}: a read cannot tell it. */
  @Override
  public void until(int end) {
    arrived = end;
    try {
      while (failure.isEmpty() && arrived - written >= PIECE) {
        write(PIECE);
      }
    } catch (IOException e) {
      failure = Optional.of(e);
    }
  }

  /**
   * Writes the rest, when all has arrived.
   *
   * @throws IOException if something of the range could not be written
   */
  void end() throws IOException {
    if (failure.isPresent()) {
      throw failure.get();
    }
    while (written < arrived) {
      write(Math.min(PIECE, arrived - written));
    }
  }

  private void write(int length) throws IOException {
    written += out.write(ByteBuffer.wrap(range, written, length), position + written);
  }
}
