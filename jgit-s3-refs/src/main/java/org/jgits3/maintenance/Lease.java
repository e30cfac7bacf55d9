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
import org.jgits3.store.ObjectVersion;
import org.jgits3.store.PutOutcome;
import org.jgits3.store.Register;

/**
 * Lease that keeps processes from doing the same work at once. It only saves work: a process that
 * works without it, or longer than it lasts, does no harm.
 *
 * <p>Stored as words: the time of its end, its holder, and for a collection the generation up to
 * which packs may be those being collected.
 *
 * <p>Safe for use by many threads; one request at a time.
 */
final class Lease {
  /** Duration of a term, and so the longest wait for the lease of a process that died. */
  static final Duration TERM = Duration.ofMinutes(2);

  /**
   * Tolerated difference between the clocks of two processes. A term that ends even later is
   * ignored: if the process died, its repository would not be maintained until then.
   */
  private static final Duration SKEW = Duration.ofMinutes(15);

  private final Register stored;
  private final Supplier<Instant> clock;

  private Optional<ObjectVersion> held = Optional.empty(); // guarded by this

  /** Random id that identifies a lease of this process even if the answer to its write was lost. */
  private final String holder = ObjectNames.random(8);

  /** Generation that this process collects; guarded by this. */
  private OptionalLong collecting = OptionalLong.empty();

  /** Generation collected by the holder that {@link #acquire} found; guarded by this. */
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
        return new Term(Instant.EPOCH, "", OptionalLong.empty()); // free
      }
    }

    String text() {
      String text = end + " " + holder;
      return collecting.isPresent() ? text + " " + collecting.getAsLong() : text;
    }
  }

  /**
   * Creates the lease of a repository.
   *
   * @param store store of the repository
   * @param repositoryId id of the repository
   */
  Lease(ObjectStore store, String repositoryId) {
    this(store, repositoryId, Maintenance::now);
  }

  /** Creates a lease with a clock chosen by a test. */
  Lease(ObjectStore store, String repositoryId, Supplier<Instant> clock) {
    this(clock, store, key(repositoryId));
  }

  private Lease(Supplier<Instant> clock, ObjectStore store, String key) {
    this.stored = new Register(store, key);
    this.clock = clock;
  }

  /** Creates a lease that is not of a repository. */
  static Lease at(ObjectStore store, String key) {
    return new Lease(Maintenance::now, store, key);
  }

  /** Key of the lease of a repository. */
  static String key(String repositoryId) {
    return ObjectNames.prefix(repositoryId) + "lease";
  }

  /**
   * Tries to acquire the lease, without waiting.
   *
   * @return false if another process has it, or the store does not tell who has it
   * @throws IOException if the store does not answer or refuses
   */
  synchronized boolean acquire() throws IOException {
    collectedElsewhere = OptionalLong.empty();
    Optional<GetResult.Found> found = stored.read();
    if (found.isPresent()) {
      Term term = Term.parse(new String(found.get().bytes(), US_ASCII));
      if (!term.holder().equals(holder) && isUnderWay(term)) {
        collectedElsewhere = term.collecting();
        return false;
      }
    }
    held = write(found.map(GetResult.Found::version), clock.get().plus(TERM), 1);
    return held.isPresent();
  }

  private boolean isUnderWay(Term term) {
    Instant now = clock.get();
    return term.end().isAfter(now) && !term.end().isAfter(now.plus(TERM).plus(SKEW));
  }

  /**
   * Begins a new term. Tries to acquire the lease if this process does not have it.
   *
   * @return false if another process has it, or the store does not tell who has it
   * @throws IOException if the store does not answer or refuses
   */
  synchronized boolean renew() throws IOException {
    if (held.isPresent()) {
      Optional<ObjectVersion> mine = held;
      held = Optional.empty(); // unless the store says otherwise
      held = write(mine, clock.get().plus(TERM), 1);
    }
    return held.isPresent() || acquire();
  }

  /**
   * Announces a collection, from the next term on.
   *
   * @param generation generation of the manifest whose packs are collected
   */
  synchronized void collects(long generation) {
    collecting = OptionalLong.of(generation);
  }

  /**
   * Generation collected by the holder that {@link #acquire} found.
   *
   * @return generation of a manifest with the packs that are being collected; empty if the holder
   *     does something else, or has not announced it yet
   */
  synchronized OptionalLong collectedElsewhere() {
    return collectedElsewhere;
  }

  private Optional<ObjectVersion> write(Optional<ObjectVersion> before, Instant end, int attempts)
      throws IOException {
    byte[] text = new Term(end, holder, collecting).text().getBytes(US_ASCII);
    return stored.replace(before, text, attempts) instanceof PutOutcome.Won won
        ? Optional.of(won.version())
        : Optional.empty();
  }

  /**
   * Releases the lease, if it is held. Asks once more if the store does not tell whether it is
   * held, because the next process would otherwise wait for the end of the term.
   *
   * @throws IOException if the store does not answer or refuses; the lease then ends by itself
   */
  synchronized void release() throws IOException {
    if (held.isPresent()) {
      Optional<ObjectVersion> mine = held;
      held = Optional.empty();
      write(mine, Instant.EPOCH, 2);
    }
  }
}
