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
final class ConditionalWrite {
  private final ObjectStore store;
  private final String key;
  private final byte[] body;
  private final Precondition precondition;
  private int attempts;
  private boolean inDoubt;

  ConditionalWrite(ObjectStore store, String key, byte[] body, Precondition precondition) {
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
  PutOutcome attempt() throws StoreException.Refused {
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

  /** The bytes it writes. */
  byte[] body() {
    return body;
  }

  /** Attempts made. */
  int attempts() {
    return attempts;
  }

  /** Tests whether the answer of any attempt is missing. */
  boolean inDoubt() {
    return inDoubt;
  }
}
