// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.concurrent;

import java.io.IOException;
import java.util.concurrent.atomic.AtomicReference;

/** First failure of a task that several threads share; later ones are added to it as suppressed. */
public final class FirstFailure {
  private final AtomicReference<Throwable> first = new AtomicReference<>();

  /** Tests whether a failure was added. */
  public boolean isThere() {
    return first.get() != null;
  }

  /**
   * Adds a failure. Never throws, but may keep only the first if memory is short.
   *
   * @param e an {@link IOException}, {@link RuntimeException} or {@link Error}
   */
  public void add(Throwable e) {
    if (!first.compareAndSet(null, e) && first.get() != e) { // the JVM may throw one error twice
      try {
        first.get().addSuppressed(e);
      } catch (OutOfMemoryError full) {
        return; // the first is what the work fails with
      }
    }
  }

  /** Throws the first failure; does nothing if there is none. */
  public void orReturn() throws IOException {
    rethrow(first.get());
  }

  /**
   * Throws a failure of another thread.
   *
   * @param e as for {@link #add}; null throws nothing
   */
  public static void rethrow(Throwable e) throws IOException {
    if (e instanceof IOException io) {
      throw io;
    } else if (e instanceof RuntimeException unchecked) {
      throw unchecked;
    } else if (e instanceof Error error) {
      throw error;
    }
  }
}
