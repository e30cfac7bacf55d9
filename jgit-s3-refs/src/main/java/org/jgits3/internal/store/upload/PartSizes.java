// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.store.upload;

import org.jgits3.store.UploadOptions;

/**
 * Sizes of the parts of an object of unknown length: small at first, so that a short object needs
 * little memory, and doubled after each {@code partsPerSize} parts, up to half of the buffers. So
 * one part can be filled while another is sent, and other uploads have buffers too.
 *
 * @param parts most parts of an upload
 * @param partsPerSize parts of one size before the size doubles
 */
record PartSizes(int parts, int partsPerSize) {
  /** Within the limits of S3. */
  static final PartSizes S3 = new PartSizes(10_000, 800);

  /** Most bytes of a part on S3. */
  private static final long LARGEST_PART = 5L << 30;

  /** Most bytes of an object on S3. */
  private static final long LARGEST_OBJECT = 5L << 40;

  /**
   * Number of buffers that a part uses if they are free.
   *
   * @param number number of the part, from 1
   * @param options the buffers
   * @return number of buffers, at least 1
   */
  int buffers(int number, UploadOptions options) {
    long most = Math.min(options.buffers() / 2, LARGEST_PART / options.partSize());
    int doublings = Math.min((number - 1) / partsPerSize, Integer.SIZE - 2);
    return (int) Math.max(1, Math.min(most, 1L << doublings));
  }

  /**
   * Length of the largest object, if no other upload holds buffers. If others do, each part still
   * has at least one buffer.
   *
   * @param options the buffers
   * @return bytes
   */
  long largest(UploadOptions options) {
    long buffers = 0;
    for (int number = 1; number <= parts; number++) {
      buffers += buffers(number, options);
    }
    return Math.min(LARGEST_OBJECT, buffers * options.partSize());
  }
}
