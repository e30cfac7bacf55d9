// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.function;

import java.io.IOException;

/** {@link Runnable} that may fail with an {@link IOException}. */
@FunctionalInterface
public interface IoRunnable {
  /** Runs it. */
  void run() throws IOException;
}
