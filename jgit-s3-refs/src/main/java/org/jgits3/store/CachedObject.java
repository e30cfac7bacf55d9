// SPDX-License-Identifier: Apache-2.0
package org.jgits3.store;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.zip.CRC32C;

/**
 * An object in a {@link DiskCache}. Its file has the bytes, then the CRC32C of every 64 KiB of
 * them, then the CRC32C of all, and that of what follows the bytes up to here. Used by one thread.
 */
public final class CachedObject implements Closeable {
  private static final int BLOCK = 64 << 10;

  private final Path file;
  private final FileChannel in;
  private final long size;
  private final ByteBuffer checksums;
  private final byte[] block = new byte[BLOCK];

  private CachedObject(Path file, FileChannel in, long size, ByteBuffer checksums) {
    this.file = file;
    this.in = in;
    this.size = size;
    this.checksums = checksums;
  }

  /** Writes the file of an object. */
  static final class Writer {
    private final FileChannel out;
    private final CRC32C whole = new CRC32C();
    private final CRC32C block = new CRC32C();
    private int inBlock;
    private ByteBuffer checksums = ByteBuffer.allocate(1 << 10);

    Writer(FileChannel out) {
      this.out = out;
    }

    void write(ByteBuffer bytes) throws IOException {
      whole.update(bytes.duplicate());
      ByteBuffer rest = bytes.duplicate();
      while (rest.hasRemaining()) {
        int n = Math.min(rest.remaining(), BLOCK - inBlock);
        block.update(rest.duplicate().limit(rest.position() + n));
        rest.position(rest.position() + n);
        inBlock += n;
        if (inBlock == BLOCK) {
          endBlock();
        }
      }
      writeFully(bytes);
    }

    private void endBlock() {
      add((int) block.getValue());
      block.reset();
      inBlock = 0;
    }

    private void add(int checksum) {
      if (checksums.remaining() < Integer.BYTES) {
        checksums =
            ByteBuffer.wrap(Arrays.copyOf(checksums.array(), 2 * checksums.capacity()))
                .position(checksums.position());
      }
      checksums.putInt(checksum);
    }

    private void writeFully(ByteBuffer bytes) throws IOException {
      while (bytes.hasRemaining()) {
        out.write(bytes);
      }
    }

    /**
     * Ends the file.
     *
     * @return CRC32C of the object
     */
    int end() throws IOException {
      if (inBlock > 0) {
        endBlock();
      }
      add((int) whole.getValue());
      CRC32C crc = new CRC32C();
      crc.update(checksums.duplicate().flip());
      add((int) crc.getValue());
      writeFully(checksums.flip());
      return (int) whole.getValue();
    }
  }

  /**
   * Opens a file.
   *
   * @throws StoreException.Corrupt if it is not one of an object of this size and checksum
   */
  static CachedObject open(Path file, long size, int crc32c) throws IOException {
    FileChannel in = FileChannel.open(file, StandardOpenOption.READ);
    try {
      long tail = Integer.BYTES * ((size + BLOCK - 1) / BLOCK + 2);
      if (in.size() != size + tail) {
        throw damaged(file, "has " + in.size() + " bytes instead of " + (size + tail), null);
      }
      ByteBuffer checksums = ByteBuffer.allocate(Math.toIntExact(tail));
      readFully(file, in, checksums, size);
      checksums.flip();
      CRC32C crc = new CRC32C();
      crc.update(checksums.duplicate().limit((int) tail - Integer.BYTES));
      if (checksums.getInt((int) tail - Integer.BYTES) != (int) crc.getValue()
          || checksums.getInt((int) tail - 2 * Integer.BYTES) != crc32c) {
        throw damaged(file, "has other checksums than were written", null);
      }
      return new CachedObject(file, in, size, checksums);
    } catch (IOException | RuntimeException e) {
      in.close();
      throw e;
    }
  }

  /**
   * Reads bytes, at least one unless {@code dst} is full, and checks them.
   *
   * @param position where in the object, less than its size
   * @param dst receives the bytes
   * @return bytes read
   * @throws StoreException.Corrupt if they are not those that were written; {@code dst} is as it
   *     was
   * @throws IOException if they cannot be read
   */
  public int read(long position, ByteBuffer dst) throws IOException {
    long start = position - position % BLOCK;
    int length = (int) Math.min(BLOCK, size - start);
    ByteBuffer whole = ByteBuffer.wrap(block, 0, length);
    readFully(file, in, whole, start);
    CRC32C crc = new CRC32C();
    crc.update(block, 0, length);
    if (checksums.getInt((int) (start / BLOCK) * Integer.BYTES) != (int) crc.getValue()) {
      throw damaged(file, "has another CRC32C than was written from byte " + start + " on", null);
    }
    int from = (int) (position - start);
    int n = Math.min(dst.remaining(), length - from);
    dst.put(block, from, n);
    return n;
  }

  private static void readFully(Path file, FileChannel in, ByteBuffer dst, long position)
      throws IOException {
    long at = position;
    while (dst.hasRemaining()) {
      int n = in.read(dst, at);
      if (n < 0) {
        throw damaged(file, "ends at byte " + at, null);
      }
      at += n;
    }
  }

  private static StoreException.Corrupt damaged(Path file, String what, Throwable cause) {
    return new StoreException.Corrupt(file.toString(), "cached object " + file + " " + what, cause);
  }

  @Override
  public void close() throws IOException {
    in.close();
  }
}
