// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.commit;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jgits3.manifest.Manifest;
import org.jgits3.manifest.UnknownOutcomeException;
import org.jgits3.manifest.VersionedManifest;
import org.jgits3.metrics.Count;
import org.jgits3.store.Precondition;

/**
 * Changes applied to one base, each to the manifest left by the one before: the write of the
 * result, and the verdicts that hold once it is applied. A change that fails, fails alone.
 *
 * <p>Once it is made, only the attempts of its write change it. Not safe for use by several threads
 * at once.
 */
final class CommitBatch {
  private final ManifestFile file;
  private final VersionedManifest base;
  private final List<SubmittedChange<?>> changes;
  private final ListingRules rules;
  private final String before;
  private final String nonce;
  private final List<Pending<?>> verdicts = new ArrayList<>();
  private final ConditionalWrite write;

  /** Manifest left by the changes applied so far; at last the one that is written. */
  private Manifest manifest;

  private boolean edited;

  /** Verdict that waits for the outcome of the batch. */
  private record Pending<R>(SubmittedChange<R> change, SubmittedChange.Verdict<R> verdict) {
    void deliver() {
      change.decide(verdict);
    }
  }

  /**
   * Applies changes to a base. Makes no request.
   *
   * @param file where the result is to be stored
   * @param base manifest the batch is to replace
   * @param changes the changes, in order
   * @param rules rules for changes
   * @param before nonce of the writer's last batch that was applied; empty for none
   * @param nonce nonce of this batch
   * @throws IOException if the result cannot be encoded even without the failing changes
   */
  CommitBatch(
      ManifestFile file,
      VersionedManifest base,
      List<SubmittedChange<?>> changes,
      ListingRules rules,
      String before,
      String nonce)
      throws IOException {
    this.file = file;
    this.base = base;
    this.changes = changes;
    this.rules = rules;
    this.before = before;
    this.nonce = nonce;
    byte[] body;
    try {
      body = apply(false);
    } catch (IOException tooLarge) {
      // At least one change does not fit: encode after each to find out which.
      body = apply(true);
    }
    this.write = file.write(body, Precondition.matches(base.version()));
  }

  VersionedManifest base() {
    return base;
  }

  List<SubmittedChange<?>> changes() {
    return changes;
  }

  String nonce() {
    return nonce;
  }

  /** Tests whether any change needs the write. */
  boolean edited() {
    return edited;
  }

  /** The manifest that the write stores. */
  Manifest manifest() {
    return manifest;
  }

  /** The write; not to be attempted unless the batch is {@link #edited}. */
  ConditionalWrite write() {
    return write;
  }

  /** Delivers the verdicts, and counts the changes whose own outcome is unknown. */
  void deliver() {
    for (Pending<?> pending : verdicts) {
      if (pending.verdict().failure() instanceof UnknownOutcomeException) {
        file.counters().add(Count.UNKNOWN_PRUNED);
      }
      pending.deliver();
    }
  }

  private byte[] apply(boolean encodeEach) throws IOException {
    verdicts.clear();
    manifest = base.manifest();
    edited = false;
    for (SubmittedChange<?> change : changes) {
      verdicts.add(verdict(change, encodeEach));
    }
    manifest = seal(manifest);
    // What was encoded after each change was checked there.
    int most = encodeEach ? Manifest.MAX_BYTES : most(base.manifest(), manifest);
    return edited ? file.encode(manifest, most) : new byte[0];
  }

  private Manifest seal(Manifest changed) {
    return WriterTable.seal(changed, before, nonce);
  }

  /** Maximum size of the manifest: packs leave room for refs. */
  private static int most(Manifest before, Manifest next) {
    return next.packs().size() > before.packs().size()
        ? Manifest.MAX_BYTES - Manifest.ROOM_FOR_REFS
        : Manifest.MAX_BYTES;
  }

  private <R> Pending<R> verdict(SubmittedChange<R> change, boolean encode) {
    try {
      Proposal<R> proposal = change.propose(manifest);
      boolean edits = proposal instanceof Proposal.Edit;
      if (proposal instanceof Proposal.Edit<R> edit) {
        Manifest next = rules.check(base.manifest(), manifest, edit.next());
        if (encode) {
          file.encode(seal(next), most(manifest, next));
        }
        manifest = next;
        edited = true;
      }
      return new Pending<>(change, new SubmittedChange.Verdict<>(proposal.verdict(), null, edits));
    } catch (IOException | RuntimeException e) {
      return new Pending<>(change, new SubmittedChange.Verdict<>(null, e, false));
    }
  }
}
