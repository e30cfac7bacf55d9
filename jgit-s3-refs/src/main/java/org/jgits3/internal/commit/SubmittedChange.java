// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.commit;

import java.io.IOException;
import java.util.List;
import java.util.function.Function;
import org.eclipse.jgit.annotations.Nullable;
import org.jgits3.internal.concurrent.FirstFailure;
import org.jgits3.manifest.Manifest;
import org.jgits3.manifest.ManifestException;
import org.jgits3.manifest.UnknownOutcomeException;

/**
 * A change that was handed to a committer, and its verdict. It is decided once; later decisions are
 * ignored. Until then it knows whether a write that contains it may be applied.
 *
 * <p>Safe for use by many threads.
 *
 * @param <R> type of the verdict
 */
final class SubmittedChange<R> {
  private static final Verdict<?> ABANDONED =
      new Verdict<>(null, new ManifestException.NotCommitted("its caller has ended"), false);

  private static final Verdict<?> ABANDONED_IN_DOUBT =
      new Verdict<>(null, new UnknownOutcomeException("its caller has ended", null), false);

  private final ManifestChange<R> change;
  private final List<UnlistedPack> packs;
  private final long arrival;
  private final long deadline;
  @Nullable private Verdict<R> verdict; // guarded by this
  private Progress progress = Progress.WAITING; // guarded by this

  /**
   * An undecided change.
   *
   * @param change the change
   * @param packs packs that are listed with it; decided with it
   * @param arrival its number; a request numbered as high or higher started after it arrived
   * @param deadline by {@link Ticker#nanoTime}
   */
  SubmittedChange(ManifestChange<R> change, List<UnlistedPack> packs, long arrival, long deadline) {
    this.change = change;
    this.packs = List.copyOf(packs);
    this.arrival = arrival;
    this.deadline = deadline;
  }

  /** Counts it among the undecided changes of its packs. Allocates nothing, and cannot fail. */
  void enter() {
    for (int i = 0; i < packs.size(); i++) {
      packs.get(i).enter();
    }
  }

  /** Progress of an undecided change. */
  enum Progress {
    /** No write that contains it was tried. */
    WAITING,
    /** Each write that contained it was refused, because others were faster. */
    OVERTAKEN,
    /** A write that contains it may be applied, or have been applied. */
    SENT,
    /** The same, and an attempt of that write was not answered. */
    IN_DOUBT
  }

  /**
   * Answer to the caller of a change.
   *
   * @param value value returned, if there is no failure
   * @param failure exception thrown instead of it, or null
   * @param edits true if the manifest was changed, and lists the packs or has listed them
   */
  record Verdict<R>(R value, Throwable failure, boolean edits) {}

  /** The change on a manifest, with the packs. */
  Proposal<R> propose(Manifest base) throws IOException {
    return UnlistedPack.list(change.propose(base), base, packs);
  }

  long arrival() {
    return arrival;
  }

  long deadline() {
    return deadline;
  }

  synchronized boolean decided() {
    return verdict != null;
  }

  /**
   * Learns that a write that contains it is about to be tried.
   *
   * @return false if it is decided already, so that no write may contain it
   */
  synchronized boolean send() {
    if (verdict != null) {
      return false;
    }
    progress = Progress.SENT;
    return true;
  }

  /** Learns that an attempt of the write that contains it was not answered. */
  synchronized void doubt() {
    progress = Progress.IN_DOUBT;
  }

  /** Learns that the write that contained it was not applied and never will be. */
  synchronized void overtaken() {
    progress = Progress.OVERTAKEN;
  }

  /**
   * Decides it if it is undecided, because its caller ends by an error. Allocates nothing, because
   * the heap may be full.
   */
  @SuppressWarnings("unchecked") // there is no value
  synchronized void abandon() {
    boolean sent = progress == Progress.SENT || progress == Progress.IN_DOUBT;
    decide((Verdict<R>) (sent ? ABANDONED_IN_DOUBT : ABANDONED));
  }

  synchronized void decide(Verdict<R> decision) {
    if (verdict == null) {
      verdict = decision;
      boolean doubtful = decision.failure() instanceof UnknownOutcomeException;
      for (int i = 0; i < packs.size(); i++) { // an iterator would be allocated
        packs.get(i).leave(decision.edits(), doubtful);
      }
    }
  }

  /**
   * Fails it, unless it is decided.
   *
   * @param failure creates the failure from its progress; a null result leaves it undecided
   * @return true if it is decided
   */
  synchronized boolean fail(Function<Progress, Throwable> failure) {
    if (verdict == null) {
      Throwable made = failure.apply(progress);
      if (made != null) {
        decide(new Verdict<>(null, made, false));
      }
    }
    return verdict != null;
  }

  /** The verdict of a decided change. */
  synchronized R get() throws IOException {
    Verdict<R> decision = verdict;
    FirstFailure.rethrow(decision.failure());
    return decision.value();
  }
}
