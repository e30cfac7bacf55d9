// SPDX-License-Identifier: Apache-2.0
package org.jgits3.manifest;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jgits3.store.Precondition;
import org.jgits3.store.PutOutcome;
import org.jgits3.store.StoreException;

/**
 * The commit protocol of one committer as a state machine that does one request per {@link #step}.
 * Between two steps nothing is running, so that any waiting thread can take the next one.
 *
 * <p>Used by one thread at a time; the committer hands it over under its lock.
 */
final class CommitLoop {
  private final ManifestFile file;
  private final LatestManifest latest;
  private final Supplier<List<Submission<?>>> waiting;
  private final Ticker ticker;
  private final Pacing pacing;
  private final ListingRules rules;
  private final String writerId = ObjectNames.random(16);

  /** Number of the last batch, sent or not; never used again. */
  private long seq;

  private List<Submission<?>> members = List.of();
  private InFlight inFlight;
  private boolean complete;
  private long pause;
  private volatile String lastTrouble = "";

  /** A batch whose write is not decided yet. */
  private static final class InFlight {
    final VersionedManifest base;
    final Batch batch;
    final Manifest next;
    final String nonce;
    final ConditionalWrite write;
    boolean refused;

    InFlight(
        VersionedManifest base, Batch batch, Manifest next, String nonce, ConditionalWrite write) {
      this.base = base;
      this.batch = batch;
      this.next = next;
      this.nonce = nonce;
      this.write = write;
    }
  }

  /**
   * A loop that has nothing to do.
   *
   * @param file the manifest
   * @param latest newest manifest seen
   * @param waiting takes the submissions that wait, in order of arrival
   * @param ticker time
   * @param random for pauses
   */
  CommitLoop(
      ManifestFile file,
      LatestManifest latest,
      Supplier<List<Submission<?>>> waiting,
      Ticker ticker,
      RandomGenerator random) {
    this.file = file;
    this.latest = latest;
    this.waiting = waiting;
    this.ticker = ticker;
    this.pacing = new Pacing(random);
    this.rules = new ListingRules(file.toString());
  }

  /**
   * Pauses if that is due, then does the next request. Whatever goes wrong is the outcome of the
   * submissions concerned, never an exception.
   *
   * @param limit how long to pause at most, in nanoseconds
   * @throws InterruptedException if interrupted while pausing; nothing else was done
   */
  void step(long limit) throws InterruptedException {
    pause(limit);
    try {
      if (inFlight != null && members.stream().allMatch(Submission::decided)) {
        inFlight = null; // given up; its sequence number is never used again
      }
      if (inFlight == null) {
        begin();
      } else if (inFlight.refused) {
        reread();
      } else {
        attempt();
      }
    } catch (RuntimeException | Error e) {
      conclude(inFlight == null ? e : unknown("failed unexpectedly", e));
    }
  }

  private void pause(long limit) throws InterruptedException {
    long nanos = Math.min(pause, limit);
    pause = 0;
    if (nanos > 0) {
      ticker.sleep(nanos);
    }
  }

  /** Forms the next batch and sends it, or answers it, or first finds out the state of things. */
  private void begin() {
    Optional<LatestManifest.Seen> seen = latest.get();
    if (seen.isPresent()) {
      long yield = pacing.beforeCommit(generation(seen.get()), ticker.nanoTime());
      if (yield > 0) {
        pause = yield;
        return;
      }
    }
    if (!complete) {
      gather();
    }
    complete = false;
    if (members.isEmpty()) {
      return;
    }
    if (seen.isEmpty()) {
      refresh();
      return;
    }
    propose(seen.get());
  }

  private static long generation(LatestManifest.Seen seen) {
    return seen.manifest().manifest().generation();
  }

  /** Adds the waiting submissions to those of a batch that has to be tried again. */
  private void gather() {
    List<Submission<?>> all = new ArrayList<>(members);
    all.addAll(waiting.get());
    all.removeIf(Submission::decided);
    members = all;
  }

  private void propose(LatestManifest.Seen seen) {
    VersionedManifest base = seen.manifest();
    String nonce = ObjectNames.random(16);
    long number = ++seq;
    Batch batch = new Batch(base.manifest(), rules, m -> seal(m, number, nonce));
    Batch.Sealed sealed;
    try {
      file.checkWritable(base.manifest());
      sealed = batch.apply(members);
    } catch (IOException e) {
      refuse(seen, () -> conclude(e));
      return;
    }
    if (!batch.edited()) {
      refuse(
          seen,
          () -> {
            batch.deliver();
            conclude(null);
          });
      return;
    }
    inFlight =
        new InFlight(
            base,
            batch,
            sealed.manifest(),
            nonce,
            file.write(sealed.body(), Precondition.matches(base.validator())));
    attempt();
  }

  /**
   * Answers without a write, but only on the strength of a request that began after the changes.
   */
  private void refuse(LatestManifest.Seen seen, Runnable answer) {
    if (members.stream().allMatch(member -> member.arrival() <= seen.asOf())) {
      answer.run();
    } else {
      complete = true; // whoever joined now would ask for yet another request
      refresh();
    }
  }

  private Manifest seal(Manifest changed, long number, String nonce) {
    long generation = changed.generation() + 1;
    return WriterTable.seal(changed, writerId, new WriterEntry(number, nonce, generation));
  }

  private void refresh() {
    long asOf = latest.arrivals();
    try {
      Optional<LatestManifest.Seen> seen = latest.get();
      latest.accept(seen.isPresent() ? file.refresh(seen.get().manifest()) : file.read(), asOf);
    } catch (IOException e) {
      conclude(e);
    }
  }

  private void attempt() {
    long asOf = latest.arrivals();
    long start = ticker.nanoTime();
    PutOutcome outcome;
    try {
      outcome = inFlight.write.attempt();
    } catch (StoreException.Refused e) {
      conclude(e);
      return;
    }
    if (outcome instanceof PutOutcome.Won won) {
      pacing.took(ticker.nanoTime() - start);
      won(won, asOf);
    } else if (outcome instanceof PutOutcome.Lost lost) {
      pacing.took(ticker.nanoTime() - start);
      lost(lost);
    } else if (outcome instanceof PutOutcome.Unknown unknown) {
      pause = pacing.beforeRepeat(unknown.slowDown());
      lastTrouble = unknown.reason();
    }
  }

  private void won(PutOutcome.Won won, long asOf) {
    VersionedManifest made = new VersionedManifest(inFlight.next, won.validator());
    pacing.won(made.manifest().generation(), ticker.nanoTime());
    file.keep(inFlight.write.body(), inFlight.next);
    applied(made, true, asOf);
  }

  private void applied(VersionedManifest newest, boolean active, long asOf) {
    if (active) {
      rules.observe(inFlight.base.manifest(), newest.manifest());
      latest.install(newest, asOf);
    }
    inFlight.batch.deliver();
    conclude(null);
  }

  /** Ends the batch: whoever has no verdict by now gets the failure. */
  private void conclude(Throwable failure) {
    members.forEach(member -> member.fail(failure));
    members = List.of();
    inFlight = null;
    lastTrouble = "";
  }

  /** The exception for a submission whose deadline passed. Callable by any thread. */
  UnknownOutcomeException expired(Duration deadline) {
    String trouble = lastTrouble;
    return unknown(
        "not decided within "
            + deadline.toMillis()
            + " ms"
            + (trouble.isEmpty() ? "" : ", last answer: " + trouble),
        null);
  }

  private UnknownOutcomeException unknown(String why, Throwable cause) {
    return new UnknownOutcomeException(
        file + ": " + why + "; outcome unknown, look at the repository before retrying", cause);
  }

  private void lost(PutOutcome.Lost lost) {
    if (lost.missing()) {
      conclude(
          inFlight.write.inDoubt()
              ? unknown("the manifest is missing", null)
              : latest.gone(Optional.empty()));
      return;
    }
    inFlight.refused = true;
    pause = pacing.afterLoss();
  }

  /** Finds out why a write was refused: it was applied before, or somebody else was faster. */
  private void reread() {
    long asOf = latest.arrivals();
    Optional<VersionedManifest> read;
    try {
      read = file.refresh(inFlight.base);
    } catch (StoreException.Unavailable e) {
      lastTrouble = e.getMessage();
      pause = pacing.beforeRepeat(false);
      return;
    } catch (IOException e) {
      conclude(unknown("its manifest cannot be read", e));
      return;
    }
    if (read.isEmpty()) {
      conclude(unknown("the manifest is missing", null));
    } else {
      judge(read.get(), asOf);
    }
  }

  private void judge(VersionedManifest seen, long asOf) {
    Manifest base = inFlight.base.manifest();
    Manifest found = seen.manifest();
    WriterEntry mine = found.writers().get(writerId);
    boolean active = found.state() instanceof RepositoryState.Active;
    if (!found.repositoryId().equals(base.repositoryId()) || !found.holdsRepository()) {
      ManifestException.Gone gone = latest.gone(Optional.of(found.state()));
      conclude(
          found.generation() == base.generation() + 1
              ? gone // it took the place of ours
              : unknown("the repository was deleted or renamed meanwhile", gone));
    } else if (mine != null && mine.batch().equals(inFlight.nonce)) {
      applied(seen, active, asOf);
    } else if (base.generation() + 1 <= found.prunedTo()) {
      conclude(unknown("the trace of its write may have been pruned", null));
    } else if (!active) {
      conclude(latest.gone(Optional.of(found.state())));
    } else if (found.generation() == base.generation()) {
      pause = pacing.beforeRepeat(false);
      if (!inFlight.write.inDoubt() && !seen.validator().equals(inFlight.base.validator())) {
        // Nobody wrote, and nothing of ours is under way: the same bytes go by another validator
        // now, and the write has to be made anew with that one.
        latest.install(seen, asOf);
        inFlight = null;
      } else {
        inFlight.refused = false; // nobody wrote: the refusal decided nothing
      }
    } else {
      rules.observe(base, found);
      latest.install(seen, asOf);
      inFlight = null;
    }
  }
}
