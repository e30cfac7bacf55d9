// SPDX-License-Identifier: Apache-2.0
package org.jgits3.transfer;

import java.io.IOException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jgits3.internal.function.IoSupplier;
import org.jgits3.store.ObjectStore;
import org.jgits3.store.StoreException;

/**
 * A store as the process that uses it leaves it behind when it is killed after a number of
 * requests: nothing arrives from then on. The last request may have been applied.
 */
final class DyingStore extends SteppedStore {
  private final AtomicInteger left;
  private final boolean lastApplied;

  DyingStore(ObjectStore store, int requests, boolean lastApplied) {
    super(store);
    this.left = new AtomicInteger(requests);
    this.lastApplied = lastApplied;
  }

  /** Tests whether the process has been killed. */
  boolean isDead() {
    return left.get() < 0;
  }

  @Override
  <T> T send(IoSupplier<T> request) throws IOException {
    int now = left.getAndDecrement();
    if (now > 0) {
      return request.get();
    }
    if (now == 0 && lastApplied) {
      request.get();
    }
    throw new StoreException.Unavailable("", "killed", null);
  }
}
