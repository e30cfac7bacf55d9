// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.commit;

import java.io.IOException;
import org.jgits3.store.ObjectStore;
import org.jgits3.store.Precondition;
import org.jgits3.store.PutOutcome;
import org.jgits3.store.StoreException;

/**
 * One conditional write, retried until its outcome is known. All attempts have the same bytes and
 * the same precondition, so that at most one of them, late duplicates included, is ever applied.
 *
 * <p>Not safe for use by several threads at once.
 */
public final class ConditionalWrite {
  private final ObjectStore store;
  private final String key;
  private final byte[] body;
  private final Precondition precondition;
  private int attempts;
  private boolean inDoubt;

  /**
   * Prepares a write. Makes no request.
   *
   * @param store the store
   * @param key object to write
   * @param body its bytes, not modified any more
   * @param precondition what must hold
   */
  public ConditionalWrite(ObjectStore store, String key, byte[] body, Precondition precondition) {
    this.store = store;
    this.key = key;
    this.body = body;
    this.precondition = precondition;
  }

  /**
   * Makes one attempt.
   *
   * @return its outcome; {@link PutOutcome.Unknown} also if the store threw
   * @throws StoreException.Refused if no attempt can have been applied or ever will be
   */
  public PutOutcome attempt() throws StoreException.Refused {
    attempts++;
    PutOutcome outcome;
    try {
      outcome = store.putIf(key, body, precondition);
    } catch (StoreException.Refused e) {
      if (!inDoubt) {
        throw e;
      }
      outcome = new PutOutcome.Unknown(e.getMessage());
    } catch (IOException | RuntimeException e) {
      outcome = new PutOutcome.Unknown(e.toString());
    }
    inDoubt |= outcome instanceof PutOutcome.Unknown;
    return outcome;
  }

  /**
   * Makes attempts until one is answered.
   *
   * @param ticker time
   * @param pacing pauses between attempts
   * @param deadline time by {@link Ticker#nanoTime} after which no attempt begins
   * @return the answer; {@link PutOutcome.Unknown} if there was none before the deadline or an
   *     interrupt, after which the thread is still interrupted
   * @throws StoreException.Refused if no attempt can have been applied or ever will be
   */
  public PutOutcome decide(Ticker ticker, Pacing pacing, long deadline)
      throws StoreException.Refused {
    PutOutcome outcome = new PutOutcome.Unknown("not attempted before the deadline");
    while (outcome instanceof PutOutcome.Unknown unknown) {
      long left = deadline - ticker.nanoTime();
      if (left <= 0) {
        return unknown;
      }
      if (attempts > 0) {
        try {
          ticker.sleep(Math.min(pacing.beforeRepeat(unknown.pause()), left));
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
          return unknown;
        }
      }
      outcome = attempt();
    }
    return outcome;
  }

  /** The bytes it writes. */
  byte[] body() {
    return body;
  }

  /** Attempts made. */
  public int attempts() {
    return attempts;
  }

  /** Tests whether the answer of any attempt is missing. */
  boolean inDoubt() {
    return inDoubt;
  }
}
