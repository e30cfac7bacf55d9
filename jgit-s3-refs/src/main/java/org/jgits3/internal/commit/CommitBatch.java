// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.commit;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jgits3.manifest.Manifest;
import org.jgits3.manifest.UnknownOutcomeException;
import org.jgits3.metrics.UnknownCause;

/**
 * Changes applied to one base, each to the state left by the one before, and the verdicts that hold
 * if the result is committed. A change that fails, fails alone.
 */
final class CommitBatch {
  private final ManifestFile file;
  private final Manifest base;
  private final ListingRules rules;
  private final UnaryOperator<Manifest> seal;
  private final List<Verdict<?>> verdicts = new ArrayList<>();
  private Manifest state;
  private boolean edited;

  private record Verdict<R>(Submission<R> submission, Submission.Outcome<R> pending) {
    void deliver() {
      submission.decide(pending);
    }
  }

  /** A manifest ready to be stored. */
  @SuppressWarnings("ArrayRecordComponent") // handed over, never compared
  record Sealed(Manifest manifest, byte[] body) {}

  /**
   * Creates an empty batch.
   *
   * @param file where the result is to be stored
   * @param base manifest the batch is to replace
   * @param rules rules for changes
   * @param seal makes the manifest to be stored from the changed one
   */
  CommitBatch(ManifestFile file, Manifest base, ListingRules rules, UnaryOperator<Manifest> seal) {
    this.file = file;
    this.base = base;
    this.rules = rules;
    this.seal = seal;
    this.state = base;
  }

  /**
   * Applies changes to the base, and discards those applied before.
   *
   * @param submissions the changes, in order
   * @return the manifest to store
   * @throws IOException if it cannot be encoded even without the failing changes
   */
  Sealed apply(List<Submission<?>> submissions) throws IOException {
    try {
      return applyAll(submissions, false);
    } catch (IOException tooLarge) {
      // At least one change does not fit: encode after each to find out which.
      return applyAll(submissions, true);
    }
  }

  /** Tests whether any change needs a write. */
  boolean edited() {
    return edited;
  }

  /** Delivers the verdicts, and counts the changes whose own outcome is unknown. */
  void deliver() {
    for (Verdict<?> verdict : verdicts) {
      if (verdict.pending().failure() instanceof UnknownOutcomeException) {
        file.metrics().unknown(UnknownCause.PRUNED);
      }
      verdict.deliver();
    }
  }

  private Sealed applyAll(List<Submission<?>> submissions, boolean encodeEach) throws IOException {
    verdicts.clear();
    state = base;
    edited = false;
    for (Submission<?> submission : submissions) {
      verdicts.add(verdict(submission, encodeEach));
    }
    Manifest manifest = seal.apply(state);
    int most = encodeEach ? Manifest.MAX_BYTES : most(base, manifest); // else checked one by one
    return new Sealed(manifest, edited ? file.encode(manifest, most) : new byte[0]);
  }

  /** Maximum size of the manifest: packs leave room for refs. */
  private static int most(Manifest before, Manifest next) {
    return next.packs().size() > before.packs().size()
        ? Manifest.MAX_BYTES - Manifest.ROOM_FOR_REFS
        : Manifest.MAX_BYTES;
  }

  private <R> Verdict<R> verdict(Submission<R> submission, boolean encode) {
    try {
      Proposal<R> proposal = submission.propose(state);
      boolean edits = proposal instanceof Proposal.Edit;
      if (proposal instanceof Proposal.Edit<R> edit) {
        Manifest next = rules.check(base, state, edit.next());
        if (encode) {
          file.encode(seal.apply(next), most(state, next));
        }
        state = next;
        edited = true;
      }
      return new Verdict<>(submission, new Submission.Outcome<>(proposal.verdict(), null, edits));
    } catch (IOException | RuntimeException e) {
      return new Verdict<>(submission, new Submission.Outcome<>(null, e, false));
    }
  }
}
