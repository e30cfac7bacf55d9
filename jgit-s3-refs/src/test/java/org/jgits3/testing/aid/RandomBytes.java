// SPDX-License-Identifier: Apache-2.0
package org.jgits3.testing.aid;

import java.util.SplittableRandom;

/** Content that cannot be compressed. */
public final class RandomBytes {
  private RandomBytes() {}

  /** Bytes that follow from a seed. */
  public static byte[] of(int length, long seed) {
    byte[] bytes = new byte[length];
    new SplittableRandom(seed).nextBytes(bytes);
    return bytes;
  }
}
