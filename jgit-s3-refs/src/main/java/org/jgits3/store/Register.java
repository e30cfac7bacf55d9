// SPDX-License-Identifier: Apache-2.0
package org.jgits3.store;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.Arrays;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * One small object that processes share, and that each of them replaces as a whole by compare and
 * set: a lease, a session, a hint. Whether a write whose answer was lost was applied is found out
 * by reading; so two writes that must be told apart have different bytes, by a random part.
 *
 * <p>Manifests and the pointers of names are no registers: their writes are repeated until a
 * deadline, paced among many writers.
 *
 * <p>Keeps nothing between calls. Safe for use by many threads.
 */
public final class Register {
  private final ObjectStore store;
  private final String key;

  /**
   * Uses an object. Makes no request.
   *
   * @param store the store
   * @param key its key, for this register alone
   */
  public Register(ObjectStore store, String key) {
    this.store = store;
    this.key = key;
  }

  /**
   * Reads the value.
   *
   * @return the value; empty if there is none
   * @throws IOException if the store does not answer or refuses
   */
  public Optional<GetResult.Found> read() throws IOException {
    return store.get(key, Optional.empty()) instanceof GetResult.Found found
        ? Optional.of(found)
        : Optional.empty();
  }

  /**
   * Replaces the value that was read.
   *
   * @param before version that was read; empty if there was none
   * @param next the value, not modified any more
   * @param attempts most attempts, if the outcome of one is unknown; 1 if a value that arrives
   *     later would do harm
   * @return {@link PutOutcome.Won} if the value is there, also if an answer was lost; {@link
   *     PutOutcome.Lost} if another value was written; {@link PutOutcome.Unknown} if the store does
   *     not tell: the value may yet arrive, unless {@code before} was replaced meanwhile
   * @throws StoreException.Refused if the store neither has the object nor creates it, as some do
   *     with a delete marker; also if the object was deleted meanwhile
   * @throws IOException if the store refuses, or does not answer when the value is read: then the
   *     outcome is unknown as well
   */
  public PutOutcome replace(Optional<ObjectVersion> before, byte[] next, int attempts)
      throws IOException {
    Precondition condition = before.map(Precondition::matches).orElseGet(Precondition::absent);
    PutOutcome outcome = store.putIf(key, next, condition);
    for (int i = 1; !(outcome instanceof PutOutcome.Won); i++) {
      Optional<GetResult.Found> now = read();
      if (now.isPresent() && Arrays.equals(now.get().bytes(), next)) {
        return new PutOutcome.Won(now.get().version());
      }
      if (outcome instanceof PutOutcome.Lost && before.isEmpty() && now.isEmpty()) {
        String what = ": is missing, and the store refuses to create it; delete its old versions";
        throw new StoreException.Refused(key, store.location() + "/" + key + what, null);
      }
      if (outcome instanceof PutOutcome.Lost || i >= attempts) {
        return outcome;
      }
      await((PutOutcome.Unknown) outcome);
      outcome = store.putIf(key, next, condition);
    }
    return outcome;
  }

  private void await(PutOutcome.Unknown unknown) throws IOException {
    try {
      TimeUnit.NANOSECONDS.sleep(unknown.pause().toNanos());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw (IOException) new InterruptedIOException(key + ": interrupted").initCause(e);
    }
  }
}
