// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.memory;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.Random;
import java.util.zip.CRC32C;
import java.util.zip.CheckedOutputStream;

/**
 * Bytes of an object, the same whenever they are produced, no two blocks of them equal, and none of
 * them kept.
 *
 * @param size how many
 */
record Content(long size) {
  private static final int BLOCK = 64 << 10;
  private static final long SEED = 258;

  /**
   * Writes all of them.
   *
   * @param out where to; not closed
   */
  void writeTo(OutputStream out) throws IOException {
    byte[] block = new byte[BLOCK];
    new Random(SEED).nextBytes(block);
    for (long at = 0; at < size; at += BLOCK) {
      ByteBuffer.wrap(block).putLong(at);
      out.write(block, 0, (int) Math.min(BLOCK, size - at));
    }
  }

  /** Checksum of all of them. */
  int crc32c() throws IOException {
    CRC32C crc = new CRC32C();
    try (OutputStream out = new CheckedOutputStream(OutputStream.nullOutputStream(), crc)) {
      writeTo(out);
    }
    return (int) crc.getValue();
  }

  /** Checksum of an array. */
  static int crc32c(byte[] bytes) {
    CRC32C crc = new CRC32C();
    crc.update(bytes, 0, bytes.length);
    return (int) crc.getValue();
  }
}
