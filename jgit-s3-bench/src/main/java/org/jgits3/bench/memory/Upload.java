// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.memory;

import org.jgits3.store.UploadOptions;

/**
 * Memory for an upload of unknown length.
 *
 * @param id name in the results
 * @param partSize bytes of a part buffer
 * @param buffers number of buffers; 0 for what there are by default, which depends on the heap
 */
record Upload(String id, int partSize, int buffers) {
  /** Other memory of the JVM. */
  private static final int JVM_MEGABYTES = 12;

  private static final int MIB = 1 << 20;

  /** Without any settings. */
  static final Upload DEFAULTS = new Upload("jgit-s3", UploadOptions.DEFAULT_PART_SIZE, 0);

  /** {@code partSize = 8m} and {@code buffers = 3}. */
  static final Upload THREE_OF_8M = new Upload("jgit-s3-3x8m", 8 << 20, 3);

  /** {@code partSize = 5m} and {@code buffers = 3}. */
  static final Upload THREE_OF_5M = new Upload("jgit-s3-3x5m", 5 << 20, 3);

  /** About the smallest heap, in MiB: an upload takes its buffers, whatever its size. */
  int guess() {
    return JVM_MEGABYTES + Math.max(1, buffers) * (partSize / MIB + 1);
  }

  /** Upload options with these settings. */
  UploadOptions options() {
    return buffers == 0 ? UploadOptions.ofPartSize(partSize) : new UploadOptions(partSize, buffers);
  }
}
