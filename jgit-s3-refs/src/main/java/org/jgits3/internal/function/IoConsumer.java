// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.function;

import java.io.IOException;

/** {@link java.util.function.Consumer} that may fail with an {@link IOException}. */
@FunctionalInterface
public interface IoConsumer<T> {
  /** Takes a value. */
  void accept(T value) throws IOException;
}
