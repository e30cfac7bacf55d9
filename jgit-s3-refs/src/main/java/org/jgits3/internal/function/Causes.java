// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.function;

import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;

/** Looks for the cause of a failure; JGit and the SDK wrap exceptions of the store. */
public final class Causes {
  private Causes() {}

  /**
   * Finds the nearest exception of a type in the cause chain of a failure.
   *
   * @param <T> the type
   * @param failure the failure
   * @param type the type
   * @return the exception, possibly the failure itself; empty if there is none
   */
  public static <T extends Throwable> Optional<T> find(Throwable failure, Class<T> type) {
    return Stream.iterate(failure, Objects::nonNull, Throwable::getCause)
        .filter(type::isInstance)
        .map(type::cast)
        .findFirst();
  }
}
