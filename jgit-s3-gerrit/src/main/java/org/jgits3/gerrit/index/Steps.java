// SPDX-License-Identifier: Apache-2.0
package org.jgits3.gerrit.index;

import java.io.IOException;
import org.jgits3.internal.function.IoRunnable;

/**
 * Steps that are all taken even if some fail, unless the store is the cause of a failure, because
 * it would delay the other steps, too. Used by one thread.
 */
final class Steps {
  /** Maximum number of failures that are reported with the first one. */
  private static final int TOLD = 10;

  private Exception failure;

  /** Begins without steps. */
  Steps() {}

  /**
   * Takes a step; {@link #end} reports its failure.
   *
   * @throws IOException if the store is the cause of the failure
   */
  void take(IoRunnable step) throws IOException {
    try {
      step.run();
    } catch (IOException | RuntimeException e) {
      if (LocalState.isOfStore(e)) {
        throw e;
      }
      if (failure == null) {
        failure = e;
      } else if (failure.getSuppressed().length < TOLD) {
        failure.addSuppressed(e);
      }
    }
  }

  /**
   * Ends the steps.
   *
   * @throws IOException if a step failed, with the failures of the first ones
   */
  void end() throws IOException {
    if (failure != null) {
      throw new IOException("not all can be followed", failure);
    }
  }
}
