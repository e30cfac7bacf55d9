// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.store.cache;

import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.jgits3.internal.store.file.DirectoryFiles;
import org.jgits3.store.StoreException;

/**
 * An object in a {@link DiskCache}. Its bytes are not verified: the reader compares them with a
 * checksum. Safe for use by many threads.
 */
public final class CachedObject implements Closeable {
  private final FileChannel in;

  private CachedObject(FileChannel in) {
    this.in = in;
  }

  /**
   * Opens a file.
   *
   * @throws StoreException.Corrupt if it is not as long as the object
   * @throws java.nio.file.NoSuchFileException if there is none
   */
  static CachedObject open(Path file, long size) throws IOException {
    FileChannel in = FileChannel.open(file, StandardOpenOption.READ);
    try {
      if (in.size() != size) {
        throw new StoreException.Corrupt(
            file.toString(), file + " has " + in.size() + " bytes instead of " + size, null);
      }
      return new CachedObject(in);
    } catch (IOException | RuntimeException | Error e) {
      in.close();
      throw e;
    }
  }

  /**
   * Reads bytes, all of them.
   *
   * @param position offset of the first byte in the object
   * @param dst array that receives them
   * @param offset index in {@code dst} of the first byte
   * @param length their number
   * @throws IOException if they cannot be read
   */
  public void read(long position, byte[] dst, int offset, int length) throws IOException {
    DirectoryFiles.readFully(in, position, dst, offset, length);
  }

  @Override
  public void close() throws IOException {
    in.close();
  }
}
