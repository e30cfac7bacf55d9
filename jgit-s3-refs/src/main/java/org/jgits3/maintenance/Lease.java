// SPDX-License-Identifier: Apache-2.0
package org.jgits3.maintenance;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Supplier;
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
 * <p>Stored as words: the moment it ends at, who has it, and if that is a collection the generation
 * up to which packs may be those that are being collected.
 *
 * <p>Safe for use by many threads; one request at a time.
 */
final class Lease {
  /** After a process that died others wait so long at most. */
  static final Duration TERM = Duration.ofMinutes(2);

  /**
   * How far ahead the clock of another process may be. A term that ends even later is taken for
   * none: if the process died, its repository would not be maintained until then.
   */
  private static final Duration SKEW = Duration.ofMinutes(15);

  private final ObjectStore store;
  private final String key;
  private final Supplier<Instant> clock;

  private Optional<Validator> held = Optional.empty(); // guarded by this

  /** By which a lease is recognised though the answer to its write was lost. */
  private final String holder = ObjectNames.random(8);

  /** What is said of the work here; guarded by this. */
  private OptionalLong collecting = OptionalLong.empty();

  /** What the holder said who was found by {@link #acquire}; guarded by this. */
  private OptionalLong collectedElsewhere = OptionalLong.empty();

  /** The content of a lease. */
  private record Term(Instant end, String holder, OptionalLong collecting) {
    static Term parse(String text) {
      String[] words = text.split(" ", -1);
      try {
        return new Term(
            Instant.parse(words[0]),
            words.length > 1 ? words[1] : "",
            words.length > 2 ? OptionalLong.of(Long.parseLong(words[2])) : OptionalLong.empty());
      } catch (DateTimeParseException | NumberFormatException e) {
        return new Term(Instant.EPOCH, "", OptionalLong.empty()); // nobody's
      }
    }

    String text() {
      String text = end + " " + holder;
      return collecting.isPresent() ? text + " " + collecting.getAsLong() : text;
    }
  }

  /**
   * The lease of a repository.
   *
   * @param store where it is
   * @param repositoryId life of the repository
   */
  Lease(ObjectStore store, String repositoryId) {
    this(store, repositoryId, Instant::now);
  }

  /** A lease with a time of the test's own. */
  Lease(ObjectStore store, String repositoryId, Supplier<Instant> clock) {
    this.store = store;
    this.key = key(repositoryId);
    this.clock = clock;
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
  synchronized boolean acquire() throws IOException {
    Precondition unchanged = Precondition.absent();
    collectedElsewhere = OptionalLong.empty();
    if (store.get(key, Optional.empty()) instanceof GetResult.Found found) {
      Term term = Term.parse(new String(found.bytes(), US_ASCII));
      if (!term.holder().equals(holder) && isUnderWay(term)) {
        collectedElsewhere = term.collecting();
        return false;
      }
      unchanged = Precondition.matches(found.validator());
    }
    held = write(clock.get().plus(TERM), unchanged);
    return held.isPresent();
  }

  private boolean isUnderWay(Term term) {
    Instant now = clock.get();
    return term.end().isAfter(now) && !term.end().isAfter(now.plus(TERM).plus(SKEW));
  }

  /**
   * Begins a new term. If it was lost, or never had, tries to get it.
   *
   * @return false if another process has it, or the store does not say who does
   * @throws IOException if the store does not answer or refuses
   */
  synchronized boolean renew() throws IOException {
    if (held.isPresent()) {
      Precondition mine = Precondition.matches(held.get());
      held = Optional.empty(); // unless the store says otherwise
      held = write(clock.get().plus(TERM), mine);
    }
    return held.isPresent() || acquire();
  }

  /**
   * Says, from the next term on, that it is for a collection.
   *
   * @param generation generation of the manifest whose packs are collected
   */
  synchronized void collects(long generation) {
    collecting = OptionalLong.of(generation);
  }

  /**
   * What is collected by the process that {@link #acquire} found to have it.
   *
   * @return generation of a manifest with the packs that are being collected; empty if it does
   *     something else, or has not said so yet
   */
  synchronized OptionalLong collectedElsewhere() {
    return collectedElsewhere;
  }

  private Optional<Validator> write(Instant end, Precondition unchanged) throws IOException {
    return put(end, unchanged) instanceof PutOutcome.Won won
        ? Optional.of(won.validator())
        : Optional.empty();
  }

  private PutOutcome put(Instant end, Precondition unchanged) throws IOException {
    String text = new Term(end, holder, collecting).text();
    return store.putIf(key, text.getBytes(US_ASCII), unchanged);
  }

  /**
   * Gives it back, if it is held. Asks once more if the store does not say whether it is: the next
   * one would wait for the end of the term otherwise.
   *
   * @throws IOException if the store does not answer or refuses; it ends by itself then
   */
  synchronized void release() throws IOException {
    if (held.isPresent()) {
      Precondition mine = Precondition.matches(held.get());
      held = Optional.empty();
      if (put(Instant.EPOCH, mine) instanceof PutOutcome.Unknown) {
        put(Instant.EPOCH, mine);
      }
    }
  }
}
