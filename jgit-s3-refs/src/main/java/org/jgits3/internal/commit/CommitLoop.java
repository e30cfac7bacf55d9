// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.commit;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.eclipse.jgit.annotations.Nullable;
import org.jgits3.manifest.Manifest;
import org.jgits3.manifest.ManifestException;
import org.jgits3.manifest.ObjectNames;
import org.jgits3.manifest.UnknownOutcomeException;
import org.jgits3.manifest.VersionedManifest;
import org.jgits3.metrics.UnknownCause;
import org.jgits3.store.Precondition;
import org.jgits3.store.PutOutcome;
import org.jgits3.store.StoreException;

/**
 * The commit protocol of one committer as a state machine that does one request per {@link #step}.
 * Nothing runs between two steps, so that any waiting thread can do the next one.
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
  private static final int NONCE_BYTES = 8;

  private final OwnCommits own = new OwnCommits();

  /** Nonce of the last batch that was applied; empty before the first. */
  private String lastBatch = "";

  private List<Submission<?>> members = List.of();
  private InFlight inFlight;
  private boolean complete;
  private long pause;

  /** Deadline of the caller that does the step. */
  private long until;

  private volatile String lastTrouble = "";

  /** True once the submissions of the batch in flight know that it may be applied. */
  private boolean sent;

  /** True if the last attempt was refused and the reason is not yet known. */
  private boolean refused;

  /** True if a reread got no answer. */
  private boolean unanswered;

  /** A batch whose write is not decided yet. */
  private record InFlight(
      VersionedManifest base,
      CommitBatch batch,
      Manifest next,
      String nonce,
      ConditionalWrite write) {}

  /**
   * Creates an idle loop.
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
   * Pauses if that is due, then does the next request. Any failure is the outcome of the
   * submissions concerned, never an exception.
   *
   * @param deadline of the caller, by {@link Ticker#nanoTime}; after it the step waits only for the
   *     answer of one attempt
   * @throws InterruptedException if interrupted while pausing; nothing else was done
   */
  void step(long deadline) throws InterruptedException {
    until = deadline;
    if (inFlight != null && members.stream().allMatch(Submission::decided)) {
      inFlight = null; // given up
      pause = 0; // belonged to its next attempt
    }
    pause();
    try {
      if (inFlight == null) {
        begin();
      } else if (refused) {
        reread();
      } else {
        attempt();
      }
    } catch (RuntimeException | Error e) {
      fail(UnknownCause.ERROR, "failed unexpectedly", e);
    }
  }

  /** Tests whether this loop has committed a generation, as far as it remembers. */
  boolean hasCommitted(long generation) {
    return own.contains(generation);
  }

  /** Time that the caller has left. */
  private long left() {
    return Math.max(0, until - ticker.nanoTime());
  }

  private void pause() throws InterruptedException {
    long nanos = Math.min(pause, left());
    pause = 0;
    if (nanos > 0) {
      ticker.sleep(nanos);
    }
  }

  /** Forms the next batch, then sends it, answers it, or first reads the manifest. */
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
    String nonce = ObjectNames.random(NONCE_BYTES);
    CommitBatch batch =
        new CommitBatch(file, base.manifest(), rules, m -> WriterTable.seal(m, lastBatch, nonce));
    CommitBatch.Sealed sealed;
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
            file.write(sealed.body(), Precondition.matches(base.version())));
    sent = false;
    refused = false;
    unanswered = false;
    attempt();
  }

  /**
   * Answers without a write if the manifest was read by a request that began after all changes
   * arrived; else reads it anew first.
   */
  private void refuse(LatestManifest.Seen seen, Runnable answer) {
    if (members.stream().allMatch(member -> member.listener() <= seen.asOf())) {
      answer.run();
    } else {
      complete = true; // a caller that joined now would need yet another request
      refresh();
    }
  }

  private void refresh() {
    long asOf = latest.arrivals();
    try {
      Optional<VersionedManifest> known = latest.get().map(LatestManifest.Seen::manifest);
      latest.accept(file.refresh(known, Duration.ofNanos(left())), asOf);
    } catch (StoreException.Unavailable e) {
      complete = false;
      askAgain(e); // for submissions with a later deadline
    } catch (IOException e) {
      conclude(e);
    }
  }

  private void attempt() {
    if (!sent && !send()) {
      inFlight = null;
      return;
    }
    long asOf = latest.arrivals();
    long start = ticker.nanoTime();
    PutOutcome outcome;
    try {
      outcome = inFlight.write().attempt();
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
      members.forEach(Submission::doubt);
      pause = pacing.beforeRepeat(unknown.pause());
      lastTrouble = unknown.reason();
    }
  }

  /**
   * Tells the submissions that they are about to be written.
   *
   * @return false if one was decided meanwhile, so that the batch has to be formed without it
   */
  private boolean send() {
    sent = members.stream().allMatch(Submission::send);
    if (!sent) {
      members.forEach(Submission::overtaken);
    }
    return sent;
  }

  private void won(PutOutcome.Won won, long asOf) {
    VersionedManifest made = new VersionedManifest(inFlight.next(), won.version());
    pacing.won(made.manifest().generation(), ticker.nanoTime());
    file.keep(inFlight.write().body(), inFlight.next());
    applied(made, true, asOf);
  }

  private void applied(VersionedManifest newest, boolean active, long asOf) {
    if (active) {
      rules.observe(inFlight.base().manifest(), newest.manifest());
      latest.install(newest, asOf);
    } else {
      latest.gone(Optional.of(newest.manifest().state())); // the cached manifest lacks this write
    }
    lastBatch = inFlight.nonce();
    own.add(inFlight.next().generation());
    inFlight.batch().deliver();
    conclude(null);
  }

  /** Ends the batch: submissions without a verdict get the failure; nothing was written. */
  private void conclude(Throwable failure) {
    end(progress -> failure);
  }

  /** Ends a batch whose write is in doubt. */
  private void giveUp(UnknownCause why, String message, @Nullable Throwable cause) {
    end(progress -> unknown(why, message, cause));
  }

  /** Ends the batch with a failure that leaves open whether the write was applied. */
  private void fail(UnknownCause why, String message, Throwable failure) {
    end(
        progress ->
            switch (progress) {
              case WAITING, OVERTAKEN -> failure;
              case SENT, IN_DOUBT -> unknown(why, message, failure);
            });
  }

  private void end(Function<Submission.Progress, Throwable> failure) {
    members.forEach(member -> member.fail(failure));
    members = List.of();
    inFlight = null;
    lastTrouble = "";
  }

  /**
   * Tests whether the next step will decide a write that was refused. Not to be called during a
   * step.
   */
  boolean isAboutToKnow() {
    return inFlight != null && refused && !unanswered;
  }

  /**
   * Fails the submissions of the batch whose deadline passed, unless the next step will decide the
   * write. Not to be called while a step is under way.
   *
   * @param deadline the time they had
   */
  void expireLate(Duration deadline) {
    if (isAboutToKnow()) {
      return;
    }
    long now = ticker.nanoTime();
    for (Submission<?> member : members) {
      if (member.deadline() - now <= 0) {
        expire(member, deadline, false);
      }
    }
  }

  /**
   * Fails a submission whose deadline passed, unless it is decided. Callable by any thread.
   *
   * @param late the submission
   * @param deadline the time it had
   * @param stepping true if a step is under way, which may decide the submission; one that was sent
   *     is then left undecided, unless it is in doubt
   * @return true if it is decided
   */
  boolean expire(Submission<?> late, Duration deadline, boolean stepping) {
    String trouble = lastTrouble.isEmpty() ? "" : ", last answer: " + lastTrouble;
    String time = " within " + deadline.toMillis() + " ms" + trouble;
    return late.fail(
        progress ->
            switch (progress) {
              case WAITING -> notCommitted("not attempted" + time);
              case OVERTAKEN -> notCommitted("others were faster at each attempt" + time);
              case SENT -> stepping ? null : undecided(time);
              case IN_DOUBT -> undecided(time);
            });
  }

  private UnknownOutcomeException undecided(String time) {
    return unknown(UnknownCause.NO_ANSWER, "not decided" + time, null);
  }

  private ManifestException.NotCommitted notCommitted(String why) {
    file.metrics().notCommitted();
    return new ManifestException.NotCommitted(file + ": " + why + "; nothing was written, retry");
  }

  private UnknownOutcomeException unknown(
      UnknownCause why, String message, @Nullable Throwable cause) {
    file.metrics().unknown(why);
    return new UnknownOutcomeException(
        file + ": " + message + "; outcome unknown, look at the repository before retrying", cause);
  }

  private void lost(PutOutcome.Lost lost) {
    if (lost.missing()) {
      missing();
      return;
    }
    refused = true;
    pause = pacing.afterLoss();
  }

  private void missing() {
    ManifestException.Gone gone = latest.gone(Optional.empty());
    if (inFlight.write().inDoubt()) {
      giveUp(UnknownCause.REPLACED, "the manifest is missing", gone);
    } else {
      conclude(gone);
    }
  }

  private void askAgain(StoreException.Unavailable why) {
    lastTrouble = why.getMessage();
    pause = pacing.beforeRepeat(Duration.ZERO);
  }

  /** Finds out why a write was refused: it was applied before, or another process was faster. */
  private void reread() {
    long asOf = latest.arrivals();
    Optional<VersionedManifest> read;
    try {
      read = file.refresh(Optional.of(inFlight.base()), Duration.ofNanos(left()));
    } catch (StoreException.Unavailable e) {
      unanswered = true;
      askAgain(e);
      return;
    } catch (IOException e) {
      fail(UnknownCause.UNREADABLE, "its manifest cannot be read", e);
      return;
    }
    if (read.isEmpty()) {
      missing();
    } else {
      judge(read.get(), asOf);
    }
  }

  private void judge(VersionedManifest seen, long asOf) {
    Manifest base = inFlight.base().manifest();
    Manifest found = seen.manifest();
    boolean inDoubt = inFlight.write().inDoubt();
    boolean active = file.serves(found.state());
    boolean mayBeMade = inDoubt && !WriterTable.tells(found, base.generation() + 1);
    if (found.counters().writers().containsKey(inFlight.nonce())) {
      applied(seen, active, asOf);
    } else if (!active) {
      ManifestException.Gone gone = latest.gone(Optional.of(found.state()));
      if (mayBeMade) {
        giveUp(UnknownCause.REPLACED, "the repository was deleted or renamed meanwhile", gone);
      } else {
        conclude(gone);
      }
    } else if (mayBeMade) {
      giveUp(UnknownCause.PRUNED, "the trace of its write may have been pruned", null);
    } else if (found.generation() == base.generation()) {
      pause = pacing.beforeRepeat(Duration.ZERO);
      if (!inDoubt && !seen.version().equals(inFlight.base().version())) {
        // No process wrote, and no attempt of ours is under way: the same bytes have another
        // version now, so the write is made anew with that one.
        overtaken(seen, asOf);
      } else {
        refused = false; // no process wrote: the refusal decided nothing
      }
    } else {
      rules.observe(base, found);
      overtaken(seen, asOf);
    }
  }

  private void overtaken(VersionedManifest seen, long asOf) {
    latest.install(seen, asOf);
    members.forEach(Submission::overtaken);
    inFlight = null;
  }
}
