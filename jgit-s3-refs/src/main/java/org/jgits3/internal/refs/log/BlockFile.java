// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.refs.log;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import org.jgits3.store.Crc32c;

/**
 * Format of the objects of a transaction log: blocks of about {@value #BLOCK} bytes, each of which
 * can be read by itself, and an index of them at the end.
 *
 * <pre>
 * magic     8 bytes: what the object is, and the version of its format
 * blocks    see {@link BlockBuffer}
 * index     see {@link BlockIndex}
 * trailer   length of the index and its CRC32C, 4 bytes each, most significant byte first
 * </pre>
 */
final class BlockFile {
  /** A segment: transactions, oldest first. */
  static final byte[] SEGMENT = "JGS3LOG\1".getBytes(US_ASCII);

  /** The changes of one transaction, sorted by name. */
  static final byte[] CHANGES = "JGS3CHG\1".getBytes(US_ASCII);

  static final int MAGIC = 8;
  static final int TRAILER = 8;

  /** Bytes from which on a block is complete. */
  static final int BLOCK = 64 << 10;

  private BlockFile() {}

  /** The number, from 0, by which an index knows a ref; several may share one. */
  static int hash(String ref) {
    byte[] utf8 = ref.getBytes(UTF_8);
    return Crc32c.of(utf8) & Integer.MAX_VALUE;
  }
}
