// SPDX-License-Identifier: Apache-2.0
package org.jgits3.store;

/** Condition on the state of a key under which a conditional write is applied. */
public sealed interface Precondition {
  /** The key must not exist ({@code If-None-Match: *}). */
  record Absent() implements Precondition {}

  /**
   * The key must hold exactly this version ({@code If-Match}).
   *
   * @param version version the write replaces
   */
  record Matches(ObjectVersion version) implements Precondition {}

  /**
   * The key must not exist.
   *
   * @return the precondition
   */
  static Precondition absent() {
    return new Absent();
  }

  /**
   * The key must hold the given version.
   *
   * @param version version the write replaces
   * @return the precondition
   */
  static Precondition matches(ObjectVersion version) {
    return new Matches(version);
  }
}
