// SPDX-License-Identifier: Apache-2.0
package org.jgits3.store;

import java.util.Objects;
import java.util.Optional;

/**
 * Range of an object to read, and the slice of the caller's array that receives it. Compared by
 * identity of the array.
 *
 * @param key object to read
 * @param offset first byte of the range, from 0
 * @param dst array that receives the bytes
 * @param dstOffset index in {@code dst} of the first byte
 * @param length bytes to read, at least 1; all of them must exist
 * @param expected version the bytes must have; empty for any
 */
@SuppressWarnings("ArrayRecordComponent") // filled, never compared
public record ReadRequest(
    String key,
    long offset,
    byte[] dst,
    int dstOffset,
    int length,
    Optional<ObjectVersion> expected) {
  /**
   * Checks the range and the slice.
   *
   * @throws IllegalArgumentException if the range is empty or begins before the object
   * @throws IndexOutOfBoundsException if the slice is not within the array
   */
  public ReadRequest {
    Objects.checkFromIndexSize(dstOffset, length, dst.length);
    if (length < 1 || offset < 0) {
      throw new IllegalArgumentException("range of " + length + " bytes at " + offset);
    }
  }

  /**
   * Requests a part of this range into the same part of the slice.
   *
   * @param from bytes of the range before the part
   * @param size length of the part in bytes
   * @param version version the bytes must have; empty for any
   * @return the request
   */
  public ReadRequest part(int from, int size, Optional<ObjectVersion> version) {
    return new ReadRequest(key, offset + from, dst, dstOffset + from, size, version);
  }
}
