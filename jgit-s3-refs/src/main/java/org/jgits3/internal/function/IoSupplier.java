// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.function;

import java.io.IOException;

/** {@link java.util.function.Supplier} that may fail with an {@link IOException}. */
@FunctionalInterface
public interface IoSupplier<T> {
  /** Returns the value. */
  T get() throws IOException;
}
