// SPDX-License-Identifier: Apache-2.0
package org.jgits3.store;

/**
 * How large the parts of an object of unknown length should be: small at first, so that a short
 * object needs little memory, and larger with their number, so that the parts S3 allows hold the
 * largest object it allows.
 */
final class PartSizes {
  /** Most parts of an upload to S3. */
  static final int MAX_PARTS = 10_000;

  /** Parts of one size before the size doubles. */
  private static final int PARTS_PER_SIZE = 800;

  /** No part has to be larger: with 2,800 of them there is room for 5 TiB. S3 allows 5 GiB. */
  private static final long LARGEST = 2L << 30;

  private PartSizes() {}

  /**
   * Size that a part should have, if there is memory for it.
   *
   * @param number its number, from 1
   * @param first size of the first part in bytes, at least the 5 MiB of S3
   * @return bytes
   */
  static long of(int number, long first) {
    int doublings = (number - 1) / PARTS_PER_SIZE;
    return Math.min(first << doublings, Math.max(first, LARGEST));
  }
}
