// SPDX-License-Identifier: Apache-2.0
package org.jgits3.damage;

import java.util.Arrays;
import java.util.List;
import java.util.random.RandomGenerator;

/** Ways in which the bytes of an object become others. */
@SuppressWarnings("ImmutableEnumChecker") // functions of nothing but their arguments
enum Damage {
  FLIPPED((bytes, random) -> flip(bytes, random.nextInt(bytes.length), random)),
  FLIPPED_AT_THE_BEGINNING(
      (bytes, random) -> flip(bytes, random.nextInt(Math.min(bytes.length, 16)), random)),
  FLIPPED_AT_THE_END(
      (bytes, random) ->
          flip(bytes, bytes.length - 1 - random.nextInt(Math.min(bytes.length, 24)), random)),
  TRUNCATED((bytes, random) -> Arrays.copyOf(bytes, random.nextInt(bytes.length))),
  TRUNCATED_BY_A_BYTE((bytes, random) -> Arrays.copyOf(bytes, bytes.length - 1)),
  EMPTIED((bytes, random) -> new byte[0]),
  EXTENDED((bytes, random) -> append(bytes, random(1 + random.nextInt(100), random))),
  DOUBLED((bytes, random) -> append(bytes, bytes)),
  ZEROED(
      (bytes, random) -> {
        byte[] damaged = bytes.clone();
        int from = random.nextInt(bytes.length);
        Arrays.fill(damaged, from, Math.min(bytes.length, from + 512), (byte) 0);
        return damaged;
      }),
  HALVES_EXCHANGED(
      (bytes, random) ->
          append(
              Arrays.copyOfRange(bytes, bytes.length / 2, bytes.length),
              Arrays.copyOf(bytes, bytes.length / 2))),
  RANDOM((bytes, random) -> random(bytes.length, random));

  /** Damages bytes. */
  @FunctionalInterface
  private interface Change {
    byte[] of(byte[] bytes, RandomGenerator random);
  }

  private final Change change;

  Damage(Change change) {
    this.change = change;
  }

  /**
   * Damages bytes.
   *
   * @param bytes the right ones, at least one
   * @param random decides where
   * @return other bytes, or the same by chance
   */
  byte[] to(byte[] bytes, RandomGenerator random) {
    return change.of(bytes, random);
  }

  /** Any of them. */
  static Damage any(RandomGenerator random) {
    return List.of(values()).get(random.nextInt(values().length));
  }

  private static byte[] flip(byte[] bytes, int at, RandomGenerator random) {
    byte[] damaged = bytes.clone();
    damaged[at] ^= (byte) (1 << random.nextInt(8));
    return damaged;
  }

  private static byte[] append(byte[] bytes, byte[] more) {
    byte[] damaged = Arrays.copyOf(bytes, bytes.length + more.length);
    System.arraycopy(more, 0, damaged, bytes.length, more.length);
    return damaged;
  }

  private static byte[] random(int length, RandomGenerator random) {
    byte[] bytes = new byte[length];
    random.nextBytes(bytes);
    return bytes;
  }
}
