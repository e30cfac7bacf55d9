// SPDX-License-Identifier: Apache-2.0
package org.jgits3.transfer;

import java.io.IOException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jgits3.internal.function.IoSupplier;
import org.jgits3.store.ObjectStore;

/** A store that another process uses, too, between two requests of the one that has it. */
final class InterleavedStore extends SteppedStore {
  private final AtomicInteger left;
  private final Runnable other;

  /**
   * A store.
   *
   * @param requests how many come before the other process does what it does
   * @param other the other process
   */
  InterleavedStore(ObjectStore store, int requests, Runnable other) {
    super(store);
    this.left = new AtomicInteger(requests);
    this.other = other;
  }

  /** Tests whether the other process had its turn. */
  boolean isOver() {
    return left.get() < 0;
  }

  @Override
  <T> T send(IoSupplier<T> request) throws IOException {
    if (left.getAndDecrement() == 0) {
      other.run();
    }
    return request.get();
  }
}
