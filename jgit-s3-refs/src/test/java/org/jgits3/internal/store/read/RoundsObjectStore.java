// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.store.read;

import java.io.IOException;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicInteger;
import org.jgits3.store.DelegatingObjectStore;
import org.jgits3.store.ObjectStore;
import org.jgits3.store.ObjectVersion;
import org.jgits3.store.ReadRequest;

/**
 * A store that answers ranged reads in rounds: none before as many have arrived as belong to one.
 * The number of rounds is the sequential depth of what is read, whatever the time it takes; a
 * reader that has too few in flight never ends.
 */
public final class RoundsObjectStore extends DelegatingObjectStore {
  private final CyclicBarrier round;
  private final AtomicInteger rounds = new AtomicInteger();
  private volatile boolean gated;

  /**
   * Answers at once, until it is {@link #gate gated}.
   *
   * @param store store that has the answers; closed by its opener
   * @param size requests of a round
   */
  public RoundsObjectStore(ObjectStore store, int size) {
    super(store);
    round = new CyclicBarrier(size, rounds::incrementAndGet);
  }

  /** Answers in rounds from now on. */
  public void gate() {
    gated = true;
  }

  /**
   * Rounds so far.
   *
   * @return how many
   */
  public int count() {
    return rounds.get();
  }

  @Override
  public ObjectVersion read(ReadRequest range) throws IOException {
    if (gated) {
      try {
        round.await();
      } catch (InterruptedException | BrokenBarrierException e) {
        throw new IOException(e);
      }
    }
    return super.read(range);
  }

  @Override
  public void close() {}
}
