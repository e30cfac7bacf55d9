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
import org.jgits3.metrics.Count;
import org.jgits3.store.PutOutcome;
import org.jgits3.store.StoreException;

/**
 * The commit protocol of one committer as a state machine that does one request per {@link #step}.
 * Nothing runs between two steps, so that any waiting thread can do the next one.
 *
 * <p>During a step, the loop belongs to the thread that does it. Between two steps, it belongs to
 * the holder of the committer's lock, under which the committer picks the thread for the next step.
 * So nothing here has a lock of its own. Other threads call only {@link #expire}, which uses no
 * more than {@link #lastTrouble}.
 */
final class CommitLoop {
  private static final int NONCE_BYTES = 8;
  private static final Gathered IDLE = new Gathered(List.of(), false);

  private final ManifestFile file;
  private final Supplier<List<SubmittedChange<?>>> waiting;
  private final Ticker ticker;
  private final Pacing pacing;
  private final ListingRules rules;

  /** Nonce of the last batch that was applied; empty before the first. */
  private String lastBatch = "";

  private State state = IDLE;

  /** Nanoseconds that the next step pauses before its request. */
  private long pause;

  /** Reason why the last request got no answer; empty if that concerns no change any more. */
  private volatile String lastTrouble = "";

  /**
   * State between two steps. It says which request the next step makes; the answer says which state
   * follows.
   *
   * <pre>
   * state                answer                              next state
   * Gathered             to a read: a manifest               Gathered
   *                      to the first attempt                as after Sent
   * Sent                 applied, or no manifest             idle
   *                      refused                             Refused
   *                      none                                Sent
   * Refused, Unanswered  the write, or a tombstone           idle
   *                      entries of writers were pruned      idle
   *                      the write of another process        Gathered
   *                      the base                            Sent
   *                      the base with another version       Gathered
   *                      none                                Unanswered
   * </pre>
   *
   * <p>A failure of any other kind decides all changes, and the loop is idle.
   */
  private sealed interface State {
    /** Changes that the loop has to decide. */
    List<SubmittedChange<?>> changes();
  }

  /** Write that was sent and is not decided. It is given up once all its changes are decided. */
  private sealed interface Undecided extends State {
    CommitBatch batch();

    @Override
    default List<SubmittedChange<?>> changes() {
      return batch().changes();
    }
  }

  /**
   * No write: the next step forms a batch and sends it, or reads the manifest.
   *
   * @param changes changes to be tried, none if the loop is idle
   * @param complete true if no change may join them, because it would need another read
   */
  private record Gathered(List<SubmittedChange<?>> changes, boolean complete) implements State {}

  /** The write is neither applied nor refused as far as is known: the next step is an attempt. */
  private record Sent(CommitBatch batch) implements Undecided {}

  /** The last attempt was refused: the next step reads the manifest to find out why. */
  private record Refused(CommitBatch batch) implements Undecided {}

  /** That read got no answer: the next step repeats it, and no deadline waits for it. */
  private record Unanswered(CommitBatch batch) implements Undecided {}

  /**
   * Creates an idle loop.
   *
   * @param file the manifest
   * @param waiting takes the changes that wait, in order of arrival
   * @param ticker time
   * @param random for pauses
   */
  CommitLoop(
      ManifestFile file,
      Supplier<List<SubmittedChange<?>>> waiting,
      Ticker ticker,
      RandomGenerator random) {
    this.file = file;
    this.waiting = waiting;
    this.ticker = ticker;
    this.pacing = new Pacing(random);
    this.rules = new ListingRules(file.toString());
  }

  /**
   * Pauses if that is due, then does the next request. Any failure is the verdict of the changes
   * concerned, never an exception.
   *
   * @param deadline of the caller, by {@link Ticker#nanoTime}; after it the step waits only for the
   *     answer of one attempt
   * @throws InterruptedException if interrupted while pausing; nothing else was done
   */
  void step(long deadline) throws InterruptedException {
    if (state instanceof Undecided && state.changes().stream().allMatch(SubmittedChange::decided)) {
      state = IDLE;
      pause = 0; // belonged to the next attempt
    }
    pause(deadline);
    try {
      if (state instanceof Gathered gathered) {
        state = begin(gathered, deadline);
      } else if (state instanceof Sent sent) {
        state = attempt(sent.batch());
      } else if (state instanceof Undecided refused) {
        state = reread(refused.batch(), deadline);
      }
    } catch (RuntimeException | Error e) {
      state = fail(state.changes(), "failed unexpectedly", e);
    }
  }

  private Duration left(long deadline) {
    return Duration.ofNanos(Math.max(0, deadline - ticker.nanoTime()));
  }

  private void pause(long deadline) throws InterruptedException {
    long nanos = Math.min(pause, left(deadline).toNanos());
    pause = 0;
    if (nanos > 0) {
      ticker.sleep(nanos);
    }
  }

  /** Forms the next batch, then sends it, answers it, or first reads the manifest. */
  private State begin(Gathered before, long deadline) {
    Optional<ManifestFile.Seen> seen = file.seen();
    if (seen.isPresent()) {
      long yield = pacing.beforeCommit(generation(seen.get()), ticker.nanoTime());
      if (yield > 0) {
        pause = yield;
        return before;
      }
    }
    List<SubmittedChange<?>> changes = before.complete() ? before.changes() : gather(before);
    if (changes.isEmpty()) {
      return IDLE;
    }
    Gathered gathered = new Gathered(changes, false);
    state = gathered; // an error from here on fails the changes that joined, too
    return seen.isEmpty() ? refresh(gathered, deadline) : propose(changes, seen.get(), deadline);
  }

  private static long generation(ManifestFile.Seen seen) {
    return seen.manifest().manifest().generation();
  }

  /** Adds the waiting changes to those that have to be tried again. */
  private List<SubmittedChange<?>> gather(Gathered before) {
    List<SubmittedChange<?>> all = new ArrayList<>(before.changes());
    all.addAll(waiting.get());
    all.removeIf(SubmittedChange::decided);
    return all;
  }

  private State propose(List<SubmittedChange<?>> changes, ManifestFile.Seen seen, long deadline) {
    VersionedManifest base = seen.manifest();
    String nonce = ObjectNames.random(NONCE_BYTES);
    CommitBatch batch;
    try {
      batch = new CommitBatch(file, base, changes, rules, lastBatch, nonce);
    } catch (IOException e) {
      return refuse(changes, seen, deadline, () -> failAll(changes, progress -> e));
    }
    if (!batch.edited()) {
      return refuse(changes, seen, deadline, batch::deliver);
    }
    if (!send(changes)) {
      return overtaken(changes);
    }
    state = new Sent(batch); // an error from here on may come after the write was applied
    return attempt(batch);
  }

  /**
   * Answers without a write if the manifest was read by a request that began after all changes
   * arrived; else reads it anew first.
   */
  private Gathered refuse(
      List<SubmittedChange<?>> changes, ManifestFile.Seen seen, long deadline, Runnable answer) {
    if (changes.stream().allMatch(change -> change.arrival() <= seen.asOf())) {
      answer.run();
      return idle();
    }
    return refresh(new Gathered(changes, true), deadline);
  }

  private Gathered refresh(Gathered gathered, long deadline) {
    try {
      file.validate(left(deadline));
      return gathered;
    } catch (StoreException.Unavailable e) {
      askAgain(e); // for changes with a later deadline
      return new Gathered(gathered.changes(), false);
    } catch (IOException e) {
      return conclude(gathered.changes(), e);
    }
  }

  /**
   * Tells the changes that they are about to be written.
   *
   * @return false if one was decided meanwhile, so that the batch has to be formed without it
   */
  private static boolean send(List<SubmittedChange<?>> changes) {
    return changes.stream().allMatch(SubmittedChange::send);
  }

  private State attempt(CommitBatch batch) {
    long asOf = file.arrivals();
    long start = ticker.nanoTime();
    PutOutcome outcome;
    try {
      outcome = batch.write().attempt();
    } catch (StoreException.Refused e) {
      return conclude(batch.changes(), e);
    }
    if (outcome instanceof PutOutcome.Unknown unknown) {
      batch.changes().forEach(SubmittedChange::doubt);
      pause = pacing.beforeRepeat(unknown.pause());
      lastTrouble = unknown.reason();
      return new Sent(batch);
    }
    pacing.took(ticker.nanoTime() - start);
    if (outcome instanceof PutOutcome.Won won) {
      return won(batch, won, asOf);
    }
    pause = pacing.afterLoss();
    return new Refused(batch);
  }

  private Gathered won(CommitBatch batch, PutOutcome.Won won, long asOf) {
    VersionedManifest made = new VersionedManifest(batch.manifest(), won.version());
    pacing.won(made.manifest().generation(), ticker.nanoTime());
    file.keep(batch.write().body(), batch.manifest());
    return applied(batch, made, true, asOf);
  }

  private Gathered applied(CommitBatch batch, VersionedManifest newest, boolean active, long asOf) {
    if (active) {
      rules.observe(batch.base().manifest(), newest.manifest());
      file.install(newest, asOf);
    } else {
      file.gone(Optional.of(newest.manifest().state())); // the cached manifest lacks this write
    }
    lastBatch = batch.nonce();
    file.committed(batch.manifest().generation());
    batch.deliver();
    return idle();
  }

  /** Fails the changes without a verdict; nothing was written. */
  private Gathered conclude(List<SubmittedChange<?>> changes, Throwable failure) {
    failAll(changes, progress -> failure);
    return idle();
  }

  /** Fails the changes of a batch whose write is in doubt. */
  private Gathered giveUp(CommitBatch batch, String message, @Nullable Throwable cause) {
    failAll(batch.changes(), progress -> unknown(message, cause));
    return idle();
  }

  /** Fails changes for a reason that leaves open whether a write that was sent was applied. */
  private Gathered fail(List<SubmittedChange<?>> changes, String message, Throwable failure) {
    failAll(
        changes,
        progress ->
            switch (progress) {
              case WAITING, OVERTAKEN -> failure;
              case SENT, IN_DOUBT -> unknown(message, failure);
            });
    return idle();
  }

  private static void failAll(
      List<SubmittedChange<?>> changes, Function<SubmittedChange.Progress, Throwable> failure) {
    changes.forEach(change -> change.fail(failure));
  }

  private Gathered idle() {
    lastTrouble = "";
    return IDLE;
  }

  /**
   * Tests whether the next step will decide a write that was refused. Not to be called during a
   * step.
   */
  boolean isAboutToKnow() {
    return state instanceof Refused;
  }

  /**
   * Fails the changes of the batch whose deadline passed, unless the next step will decide the
   * write. Not to be called while a step is under way.
   *
   * @param deadline the time they had
   */
  void expireLate(Duration deadline) {
    if (isAboutToKnow()) {
      return;
    }
    long now = ticker.nanoTime();
    for (SubmittedChange<?> change : state.changes()) {
      if (change.deadline() - now <= 0) {
        expire(change, deadline, false);
      }
    }
  }

  /**
   * Fails a change whose deadline passed, unless it is decided. Callable by any thread.
   *
   * @param late the change
   * @param deadline the time it had
   * @param stepping true if a step is under way, which may decide the change; one that was sent is
   *     then left undecided, unless it is in doubt
   * @return true if it is decided
   */
  boolean expire(SubmittedChange<?> late, Duration deadline, boolean stepping) {
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
    return unknown("not decided" + time, null);
  }

  private ManifestException.NotCommitted notCommitted(String why) {
    file.counters().add(Count.COMMITS_LATE);
    return new ManifestException.NotCommitted(file + ": " + why + "; nothing was written, retry");
  }

  private UnknownOutcomeException unknown(String message, @Nullable Throwable cause) {
    file.counters().add(Count.COMMITS_UNKNOWN);
    return new UnknownOutcomeException(
        file + ": " + message + "; outcome unknown, look at the repository before retrying", cause);
  }

  private Gathered missing(CommitBatch batch) {
    ManifestException.Gone gone = file.gone(Optional.empty());
    return batch.write().inDoubt()
        ? giveUp(batch, "the manifest is missing", gone)
        : conclude(batch.changes(), gone);
  }

  private void askAgain(StoreException.Unavailable why) {
    lastTrouble = why.getMessage();
    pause = pacing.beforeRepeat(Duration.ZERO);
  }

  /** Finds out why a write was refused: it was applied before, or another process was faster. */
  private State reread(CommitBatch batch, long deadline) {
    long asOf = file.arrivals();
    Optional<VersionedManifest> read;
    try {
      read = file.refresh(Optional.of(batch.base()), left(deadline));
    } catch (StoreException.Unavailable e) {
      askAgain(e);
      return new Unanswered(batch);
    } catch (IOException e) {
      return fail(batch.changes(), "its manifest cannot be read", e);
    }
    return read.isEmpty() ? missing(batch) : judge(batch, read.get(), asOf);
  }

  private State judge(CommitBatch batch, VersionedManifest seen, long asOf) {
    Manifest base = batch.base().manifest();
    Manifest found = seen.manifest();
    boolean inDoubt = batch.write().inDoubt();
    boolean active = file.serves(found.state());
    boolean mayBeMade = inDoubt && !batch.isRuledOut(found);
    if (found.counters().writers().containsKey(batch.nonce())) {
      return applied(batch, seen, active, asOf);
    }
    if (!active) {
      ManifestException.Gone gone = file.gone(Optional.of(found.state()));
      return mayBeMade
          ? giveUp(batch, "the repository was deleted or renamed meanwhile", gone)
          : conclude(batch.changes(), gone);
    }
    if (mayBeMade) {
      return giveUp(batch, "the trace of its write may have been pruned", null);
    }
    if (found.generation() != base.generation()) {
      rules.observe(base, found);
      file.install(seen, asOf);
      return overtaken(batch.changes());
    }
    pause = pacing.beforeRepeat(Duration.ZERO);
    if (inDoubt || seen.version().equals(batch.base().version())) {
      return new Sent(batch); // no process wrote: the refusal decided nothing
    }
    // No process wrote, and no attempt of ours is under way: the same bytes have another version
    // now, so the write is made anew with that one.
    file.install(seen, asOf);
    return overtaken(batch.changes());
  }

  private static Gathered overtaken(List<SubmittedChange<?>> changes) {
    changes.forEach(SubmittedChange::overtaken);
    return new Gathered(changes, false);
  }
}
