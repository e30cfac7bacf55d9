// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.commit;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.eclipse.jgit.util.SystemReader;
import org.jgits3.manifest.Manifest;
import org.jgits3.manifest.ManifestCodec;
import org.jgits3.manifest.RepositoryState;
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
  /** Number of writers whose last nonces a manifest keeps. */
  static final int REMEMBERED = 256;

  /** Number of them that fit into the longest tombstone. */
  static final int REMEMBERED_BY_TOMBSTONE = 8;

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

  /**
   * Tests whether a manifest that lacks the nonce proves that the write was not made.
   *
   * @param newest a manifest that was read after the write was refused
   * @return false if the nonce may have been dropped
   */
  boolean isRuledOut(Manifest newest) {
    long made = manifest.generation();
    return newest.generation() == made // another write took its place
        || newest.counters().prunedTo() < made;
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
        file.counters().add(Count.COMMITS_UNKNOWN);
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
    manifest = seal(manifest, before, nonce);
    // What was encoded after each change was checked there.
    int most = encodeEach ? Manifest.MAX_BYTES : most(base.manifest(), manifest);
    return edited ? ManifestCodec.encode(manifest, most) : new byte[0];
  }

  /**
   * Makes the manifest that a commit stores. Keeps in it the nonces of the last writes: a writer
   * that was refused or got no answer finds its nonce there if its write was made, whatever has
   * become of the repository since, a tombstone included. Every write makes one entry, at its own
   * generation, so that dropping all entries up to a generation drops the oldest and nothing else.
   *
   * @param changed manifest with its changes, still with the generation of its base
   * @param before nonce of the writer's last batch that was applied; empty for none
   * @param nonce nonce of this batch
   * @return the manifest with its own generation, a fresh nonce of its own, and the batch
   */
  static Manifest seal(Manifest changed, String before, String nonce) {
    SortedMap<String, Long> writers = new TreeMap<>(changed.counters().writers());
    long generation = changed.generation() + 1;
    writers.remove(before);
    writers.put(nonce, generation);
    int most = changed.holdsRepository() ? REMEMBERED : REMEMBERED_BY_TOMBSTONE;
    long prunedTo = Math.max(changed.counters().prunedTo(), newestToPrune(writers, most));
    writers.values().removeIf(kept -> kept <= prunedTo);
    RepositoryState state =
        changed.state() instanceof RepositoryState.Importing
            ? new RepositoryState.Importing(SystemReader.getInstance().now().toEpochMilli())
            : changed.state();
    return changed.committed(generation, state, writers, prunedTo);
  }

  private static long newestToPrune(SortedMap<String, Long> writers, int most) {
    return writers.values().stream()
        .mapToLong(Long::longValue)
        .sorted()
        .limit(Math.max(0, writers.size() - most))
        .max()
        .orElse(0);
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
          ManifestCodec.encode(seal(next, before, nonce), most(manifest, next));
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
