// SPDX-License-Identifier: Apache-2.0
package org.jgits3.manifest;

/**
 * One file of a pack.
 *
 * @param size length in bytes
 * @param range of a pack, bytes of each range whose CRC32C stands behind the pack's index; else 0
 * @param crc32c CRC32C of the file's bytes
 * @param offset where the file begins within the pack's bundle; -1 if it is an object of its own
 */
public record PackFileEntry(long size, int range, int crc32c, long offset) {
  /**
   * Whether the file is a slice of the pack's bundle.
   *
   * @return true for a slice, false for an object of its own
   */
  public boolean bundled() {
    return offset >= 0;
  }
}
