// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.pack.file;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.util.Arrays;
import java.util.concurrent.Semaphore;
import java.util.zip.CRC32C;
import org.jgits3.store.Crc32c;

/**
 * Keeps the bytes of a pack that a client sends: in memory up to a bound, beyond it in one local
 * file. JGit reads them to resolve deltas, and they are uploaded from here. Used by one thread.
 */
final class ReadBack implements Closeable {
  /** Bytes kept in memory. */
  static final int WINDOW = 4 << 20;

  /** Bytes that every stream may keep in memory. */
  static final int FIRST_WINDOW = 64 << 10;

  /** Fraction of the heap, as a divisor, for the larger windows of all streams together. */
  private static final int HEAP_SHARE = 32;

  private static final int MOST_WINDOWS = 8;

  /** Maximum number of streams with larger windows; the others write to their file at once. */
  static final int WINDOWS = windows(Runtime.getRuntime().maxMemory());

  private static final Semaphore LARGE = new Semaphore(WINDOWS);

  /** True if this stream has a larger window. */
  private boolean large;

  private final SpillDirectory spills;
  private byte[] window = new byte[FIRST_WINDOW];
  private int held;
  private long size;
  private FileChannel spill;
  private final CRC32C crc = new CRC32C();

  /**
   * Creates an empty buffer.
   *
   * @param spills directory for the file, if one is needed
   */
  ReadBack(SpillDirectory spills) {
    this.spills = spills;
  }

  /** Number of large windows that fit into their share of a heap, from one to eight. */
  static int windows(long heap) {
    return (int) Math.max(1, Math.min(MOST_WINDOWS, heap / HEAP_SHARE / WINDOW));
  }

  void append(byte[] src, int offset, int length) throws IOException {
    if (spill == null && !fits(size + length)) {
      spill();
    }
    if (spill != null) {
      write(ByteBuffer.wrap(src, offset, length));
    } else {
      if (held + length > window.length) {
        int grown = Math.min(WINDOW, 2 * window.length);
        window = Arrays.copyOf(window, Math.max(held + length, grown));
      }
      System.arraycopy(src, offset, window, held, length);
      held += length;
    }
    crc.update(src, offset, length);
    size += length;
  }

  private boolean fits(long bytes) {
    if (bytes <= FIRST_WINDOW) {
      return true;
    }
    large = large || (bytes <= WINDOW && LARGE.tryAcquire());
    return large && bytes <= WINDOW;
  }

  private void spill() throws IOException {
    spill = spills.open();
    write(ByteBuffer.wrap(window, 0, held));
    dropWindow();
  }

  private void dropWindow() {
    window = null;
    if (large) {
      large = false;
      LARGE.release();
    }
  }

  private void write(ByteBuffer src) throws IOException {
    try {
      while (src.hasRemaining()) {
        spill.write(src);
      }
    } catch (ClosedChannelException e) {
      throw e; // interrupted, which says nothing about the disk
    } catch (IOException e) {
      throw spills.failed("cannot be written", e);
    }
  }

  /** Bytes written. */
  long size() {
    return size;
  }

  /**
   * Fails if bytes that were read are not those that were written: the local disk is trusted no
   * more than the store.
   *
   * @param crc32c CRC32C of all bytes, as read from here
   */
  void check(int crc32c) throws IOException {
    if (crc32c != (int) crc.getValue()) {
      String damage = Crc32c.mismatch(crc32c, (int) crc.getValue());
      throw spills.failed("was damaged", new IOException(damage));
    }
  }

  /**
   * Reads written bytes.
   *
   * @return bytes read, -1 at the end
   */
  int read(long position, ByteBuffer dst) throws IOException {
    if (position >= size) {
      return -1;
    }
    if (spill != null) {
      return spill.read(dst, position);
    }
    int n = (int) Math.min(dst.remaining(), size - position);
    dst.put(window, (int) position, n);
    return n;
  }

  @Override
  public void close() throws IOException {
    dropWindow();
    if (spill != null) {
      spill.close();
    }
  }
}
