// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.pack.limit;

import java.io.Closeable;
import java.io.IOException;
import org.eclipse.jgit.annotations.Nullable;

/**
 * Memory and work of the push or fetch that one handle serves. What is received otherwise, as by a
 * hook, counts for none. Safe for use by many threads.
 */
public final class TransferShare implements Closeable {
  private final TransferMemory.Share memory;
  private final PushLimits pushes;

  /** Work of the push; null before it. */
  @Nullable private volatile PushLimits.Work work;

  /**
   * A share of which nothing is taken.
   *
   * @param memory memory of all transfers
   * @param pushes limits of the work of a push
   */
  public TransferShare(TransferMemory memory, PushLimits pushes) {
    this.memory = memory.share();
    this.pushes = pushes;
  }

  /** Memory for objects that are received, named or sent; held until this is closed. */
  public TransferMemory.Share memory() {
    return memory;
  }

  /** Memory for a pack that is received: of a push that of this transfer, else without limit. */
  public TransferMemory.Share memory(boolean ofPush) {
    return ofPush ? memory : new TransferMemory(0).share();
  }

  /** Begins the work for a pack that is received, which counts from the first pack of a push. */
  public PushLimits.Work beginWork(boolean ofPush) {
    if (!ofPush) {
      return PushLimits.NONE.begin();
    }
    PushLimits.Work begun = work == null ? pushes.begin() : work;
    work = begun;
    return begun;
  }

  /**
   * Checks the processor time so far.
   *
   * @throws IOException if a push has taken more time than is allowed
   */
  public void checkTime() throws IOException {
    PushLimits.Work begun = work;
    if (begun != null) {
      begun.checkTime();
    }
  }

  @Override
  public void close() {
    memory.close();
  }
}
