// SPDX-License-Identifier: Apache-2.0
package org.jgits3.store;

/**
 * How large the parts of an object of unknown length should be: small at first, so that a short
 * object needs little memory, and larger with their number, so that the parts S3 allows hold the
 * largest object it allows.
 *
 * @param parts most parts of an upload
 * @param fromMemory parts that may be shorter than they should be, because they are sent from what
 *     memory there is; later ones never are
 * @param partsPerSize parts of one size before the size doubles
 * @param largest bytes that no part has to exceed, unless the first one does
 */
record PartSizes(int parts, int fromMemory, int partsPerSize, long largest) {
  /**
   * Within the limits of S3, whose parts have up to 5 GiB: the last 2,800 have at least 2 GiB, and
   * so room for 5 TiB, whatever the others have.
   */
  static final PartSizes S3 = new PartSizes(10_000, 7_200, 800, 2L << 30);

  /**
   * Size that a part should have.
   *
   * @param number its number, from 1
   * @param first size of the first part in bytes, at least the 5 MiB of S3
   * @return bytes
   */
  long of(int number, long first) {
    int doublings = (number - 1) / partsPerSize;
    return Math.min(first << doublings, Math.max(first, largest));
  }

  /**
   * Least size of a part that is not the last one.
   *
   * @param number its number, from 1
   * @param first size of the first part in bytes
   * @return bytes; 0 if it may be as short as the store allows
   */
  long least(int number, long first) {
    return number <= fromMemory ? 0 : of(number, first);
  }
}
