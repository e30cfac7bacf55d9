// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.transfer;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import java.util.zip.CRC32C;

/**
 * A file to be uploaded, of random bytes.
 *
 * @param path where it is
 * @param megabytes its size in MiB
 * @param crc32c its checksum
 */
record SourceFile(Path path, int megabytes, long crc32c) {
  private static final int MEGABYTE = 1 << 20;

  /** Generates it; the size is the seed. */
  static SourceFile generate(Path path, int megabytes) throws IOException {
    Random random = new Random(megabytes);
    CRC32C crc = new CRC32C();
    byte[] block = new byte[MEGABYTE];
    try (OutputStream out = Files.newOutputStream(path)) {
      for (int i = 0; i < megabytes; i++) {
        random.nextBytes(block);
        crc.update(block);
        out.write(block);
      }
    } catch (IOException e) {
      throw new IOException(path + " cannot be written: " + e.getMessage(), e);
    }
    return new SourceFile(path, megabytes, crc.getValue());
  }

  long size() {
    return (long) megabytes * MEGABYTE;
  }

  /** Checksum of a file. */
  static long crc32c(Path path) throws IOException {
    CRC32C crc = new CRC32C();
    byte[] block = new byte[MEGABYTE];
    try (InputStream in = Files.newInputStream(path)) {
      for (int n; (n = in.read(block)) > 0; ) {
        crc.update(block, 0, n);
      }
    }
    return crc.getValue();
  }
}
