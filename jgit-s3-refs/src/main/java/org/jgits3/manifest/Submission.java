// SPDX-License-Identifier: Apache-2.0
package org.jgits3.manifest;

import java.io.IOException;
import java.util.concurrent.atomic.AtomicReference;

/**
 * A change that was handed to a committer, and what became of it. It is decided once; later
 * decisions are ignored.
 *
 * <p>Safe for use by many threads.
 *
 * @param <R> type of the verdict
 */
final class Submission<R> {
  private final Change<R> change;
  private final long arrival;
  private final long deadline;
  private final AtomicReference<Outcome<R>> outcome = new AtomicReference<>();

  /**
   * An undecided submission.
   *
   * @param change the change
   * @param arrival its number; a request numbered as high or higher started after it arrived
   * @param deadline by {@link Ticker#nanoTime}
   */
  Submission(Change<R> change, long arrival, long deadline) {
    this.change = change;
    this.arrival = arrival;
    this.deadline = deadline;
  }

  /**
   * What became of a submission.
   *
   * @param verdict the verdict, if there is no failure
   * @param failure why there is no verdict, or null
   */
  record Outcome<R>(R verdict, Throwable failure) {}

  Change<R> change() {
    return change;
  }

  long arrival() {
    return arrival;
  }

  long deadline() {
    return deadline;
  }

  boolean decided() {
    return outcome.get() != null;
  }

  void decide(Outcome<R> decision) {
    outcome.compareAndSet(null, decision);
  }

  void fail(Throwable failure) {
    decide(new Outcome<>(null, failure));
  }

  /** The verdict of a decided submission. */
  R get() throws IOException {
    Outcome<R> decision = outcome.get();
    if (decision.failure() == null) {
      return decision.verdict();
    }
    if (decision.failure() instanceof IOException e) {
      throw e;
    }
    if (decision.failure() instanceof RuntimeException e) {
      throw e;
    }
    throw (Error) decision.failure();
  }
}
