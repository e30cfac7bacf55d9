// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.function;

import java.io.IOException;

/** {@link java.util.function.Function} that may fail with an {@link IOException}. */
@FunctionalInterface
public interface IoFunction<T, R> {
  /** Returns the value for an argument. */
  R apply(T value) throws IOException;
}
