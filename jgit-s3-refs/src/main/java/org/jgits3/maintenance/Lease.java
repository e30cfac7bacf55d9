// SPDX-License-Identifier: Apache-2.0
package org.jgits3.maintenance;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Optional;
import org.jgits3.manifest.ObjectNames;
import org.jgits3.store.GetResult;
import org.jgits3.store.ObjectStore;
import org.jgits3.store.Precondition;
import org.jgits3.store.PutOutcome;
import org.jgits3.store.Validator;

/**
 * Keeps processes from doing the same work at once. For efficiency only: whoever works without it,
 * or longer than it lasts, does no harm.
 *
 * <p>Used by one thread.
 */
final class Lease {
  /** After a process that died others wait so long at most. */
  private static final Duration TERM = Duration.ofMinutes(2);

  private final ObjectStore store;
  private final String key;
  private Optional<Validator> held = Optional.empty();

  /**
   * The lease of a repository.
   *
   * @param store where it is
   * @param repositoryId life of the repository
   */
  Lease(ObjectStore store, String repositoryId) {
    this.store = store;
    this.key = key(repositoryId);
  }

  /** Key of the lease of a repository. */
  static String key(String repositoryId) {
    return ObjectNames.prefix(repositoryId) + "lease";
  }

  /**
   * Tries to get it, without waiting.
   *
   * @return false if another process has it, or the store does not say who does
   * @throws IOException if the store does not answer or refuses
   */
  boolean acquire() throws IOException {
    Precondition unchanged = Precondition.absent();
    if (store.get(key, Optional.empty()) instanceof GetResult.Found found) {
      if (end(found).isAfter(Instant.now())) {
        return false;
      }
      unchanged = Precondition.matches(found.validator());
    }
    held = write(Instant.now().plus(TERM), unchanged);
    return held.isPresent();
  }

  private static Instant end(GetResult.Found found) {
    try {
      return Instant.parse(new String(found.bytes(), US_ASCII));
    } catch (DateTimeParseException e) {
      return Instant.EPOCH; // nobody's
    }
  }

  private Optional<Validator> write(Instant end, Precondition unchanged) throws IOException {
    PutOutcome outcome = store.putIf(key, end.toString().getBytes(US_ASCII), unchanged);
    return outcome instanceof PutOutcome.Won won ? Optional.of(won.validator()) : Optional.empty();
  }

  /**
   * Gives it back.
   *
   * @throws IOException if the store does not answer or refuses; it ends by itself then
   */
  void release() throws IOException {
    if (held.isPresent()) {
      write(Instant.EPOCH, Precondition.matches(held.get()));
      held = Optional.empty();
    }
  }
}
