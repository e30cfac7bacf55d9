// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.pack.file;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.util.zip.CRC32C;
import org.eclipse.jgit.annotations.Nullable;
import org.jgits3.internal.store.file.DirectoryFiles;
import org.jgits3.store.Crc32c;

/**
 * Keeps the bytes of a pack that a client sends in one local file. JGit reads them to resolve
 * deltas, and they are uploaded from here. Used by one thread.
 */
final class ReadBack implements Closeable {
  private final SpillDirectory spills;

  /** Opened for the first byte; null before. */
  @Nullable private FileChannel spill;

  private final CRC32C crc = new CRC32C();
  private long size;

  /**
   * Keeps nothing yet.
   *
   * @param spills directory for the file
   */
  ReadBack(SpillDirectory spills) {
    this.spills = spills;
  }

  void append(byte[] src, int offset, int length) throws IOException {
    if (spill == null) {
      spill = spills.open();
    }
    try {
      DirectoryFiles.append(spill, src, offset, length);
    } catch (ClosedChannelException e) {
      throw e; // interrupted, which says nothing about the disk
    } catch (IOException e) {
      throw spills.failed("cannot be written", e);
    }
    crc.update(src, offset, length);
    size += length;
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
    return position >= size ? -1 : spill.read(dst, position);
  }

  @Override
  public void close() throws IOException {
    if (spill != null) {
      spill.close();
    }
  }
}
