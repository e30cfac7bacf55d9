// SPDX-License-Identifier: Apache-2.0
package org.jgits3.store;

/** Answer to a conditional read of a whole small object. */
public sealed interface GetResult {
  /** The object still has the version the caller named. */
  record NotModified() implements GetResult {}

  /** There is no object under the key. */
  record Missing() implements GetResult {}

  /**
   * The object.
   *
   * @param bytes all of it, in an array of exactly its size that belongs to the caller
   * @param version version of the bytes
   */
  @SuppressWarnings("ArrayRecordComponent") // handed over, never compared
  record Found(byte[] bytes, ObjectVersion version) implements GetResult {}
}
