// SPDX-License-Identifier: Apache-2.0
package org.jgits3.store;

/**
 * Memory for uploads. All uploads of a process share {@code buffers} arrays of {@code partSize}
 * bytes; besides, each open one has at most 64 KiB of its own.
 *
 * <p>An upload has at most 10,000 parts, the limit of S3, and each fills one buffer. So an object
 * can have {@code 10,000 * partSize} bytes: 84 GB with buffers of 8 MiB.
 *
 * @param partSize bytes of a buffer, and so of a part: 5 MiB to 1 GiB
 * @param buffers most buffers, at least 1
 */
public record UploadOptions(int partSize, int buffers) {
  /** Least bytes of a part on S3. */
  public static final int MIN_PART_SIZE = 5 << 20;

  /** Most bytes of a buffer. */
  public static final int MAX_PART_SIZE = 1 << 30;

  /** Largest number of buffers. */
  public static final int MAX_BUFFERS = 10_000;

  /** Default size of a buffer in bytes. */
  public static final int DEFAULT_PART_SIZE = 8 << 20;

  private static final long DEFAULT_MEMORY = 64_000_000;

  private static final int HEAP_SHARE = 8;

  /**
   * Buffers of the default size in at most 64 MB and at most an eighth of the heap, but at least
   * one.
   */
  public static final UploadOptions DEFAULT = ofPartSize(DEFAULT_PART_SIZE);

  /**
   * Checks the options.
   *
   * @throws IllegalArgumentException with one line that says what is wrong
   */
  public UploadOptions {
    if (partSize < MIN_PART_SIZE || partSize > MAX_PART_SIZE) {
      throw new IllegalArgumentException(
          "parts of " + partSize + " bytes; S3 wants 5 MiB, and an array has room for 1 GiB");
    }
    if (buffers < 1 || buffers > MAX_BUFFERS) {
      throw new IllegalArgumentException(buffers + " buffers; 1 to " + MAX_BUFFERS + " are needed");
    }
  }

  /**
   * Buffers of one size, as many as fit into the default memory.
   *
   * @param partSize bytes of a buffer
   * @return the options: at most 64 MB and at most an eighth of the heap, but at least one buffer
   */
  public static UploadOptions ofPartSize(int partSize) {
    long memory = Math.min(DEFAULT_MEMORY, Runtime.getRuntime().maxMemory() / HEAP_SHARE);
    return new UploadOptions(partSize, (int) Math.max(1, memory / partSize));
  }
}
