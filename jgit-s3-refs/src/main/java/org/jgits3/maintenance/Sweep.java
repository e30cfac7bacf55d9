// SPDX-License-Identifier: Apache-2.0
package org.jgits3.maintenance;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.jgits3.internal.commit.ManifestCommitter;
import org.jgits3.internal.commit.ManifestFile;
import org.jgits3.internal.commit.Proposal;
import org.jgits3.internal.fork.Forks;
import org.jgits3.manifest.Manifest;
import org.jgits3.manifest.ManifestException;
import org.jgits3.manifest.ObjectNames;
import org.jgits3.manifest.RepositoryState;
import org.jgits3.manifest.VersionedManifest;
import org.jgits3.store.MultipartUpload;
import org.jgits3.store.ObjectStore;
import org.jgits3.store.StoreException;

/**
 * Deletes the objects of one repository that no manifest lists, and aborts abandoned uploads.
 *
 * <p>A sweep first commits a boundary, a generation that only grows: no later commit newly lists a
 * name minted at or before it. Then the sweep lists the store, and deletes objects that were minted
 * at or before the boundary and that the manifest of this commit, or a later one, does not list. It
 * may sleep in between: every later manifest descends from this one, so none can list such a name
 * again. Two sweeps at once do no harm.
 *
 * <p>Of a deleted repository it deletes everything, once the grace period has passed since the
 * deletion; of one that was never made, so that its name could be used, nothing. A template is
 * spared while there is a fork of it. A repository that an import has left without a name is
 * deleted first, by a commit, so that either the sweep or the import succeeds.
 *
 * <p>An object is deleted only if a mark older than the grace period rules it out as well, because
 * a reader that began while the object was listed may still be reading it.
 */
public final class Sweep {
  /** Number of objects decided on before they are deleted; bounds the memory. */
  private static final int AT_ONCE = 50_000;

  /** Marks per grace period, so that the newest expired one is hardly older than the period. */
  private static final int MARKS = 2;

  /** Least time since the last commit of an import after which it is taken for dead. */
  private static final Duration ABANDONED = Duration.ofDays(7);

  private final ObjectStore store;
  private final Supplier<Instant> clock;

  /**
   * Result of a sweep.
   *
   * @param sweepBoundary generation up to which minted names were considered
   * @param objects objects deleted
   * @param bytes bytes of them
   * @param uploads uploads aborted
   * @param dryRun true if nothing was deleted or aborted
   * @param upToDate manifest that leaves a sweep nothing to do, unless a process dies that has
   *     uploaded objects since; empty if something is left to delete later, or that is not known
   * @param fork a fork for which the objects of a deleted template stay; empty for none
   */
  public record Report(
      long sweepBoundary,
      long objects,
      long bytes,
      int uploads,
      boolean dryRun,
      Optional<UpToDate> upToDate,
      Optional<String> fork) {
    /** Result for a repository of which everything stays for now. */
    static Report spared(boolean dryRun, Optional<String> fork) {
      return new Report(0, 0, 0, 0, dryRun, Optional.empty(), fork);
    }
  }

  Sweep(ObjectStore store, Supplier<Instant> clock) {
    this.store = store;
    this.clock = clock;
  }

  /**
   * Sweeps a repository.
   *
   * @param committer its commit loop
   * @param grace minimum time since an object was named or listed before it is deleted; may be zero
   * @param dryRun true to change nothing
   * @return the result
   * @throws IOException if the store does not answer, or the outcome of the commit is unknown
   */
  Report run(ManifestCommitter committer, Duration grace, boolean dryRun) throws IOException {
    Instant now = clock.get();
    Instant moment = now.minus(grace);
    VersionedManifest newest = committer.validate();
    Manifest manifest = newest.manifest();
    if (manifest.isTemplate()) {
      return ofTemplate(newest, dryRun);
    }
    SweepMarks marks = new SweepMarks(store, manifest, now);
    long sweepBoundary = Math.max(manifest.sweepBoundary(), marks.endedBefore(moment));
    Optional<UnlistedObjects> then =
        grace.isZero() ? Optional.empty() : Optional.of(marks.unlistedBefore(moment));
    if (dryRun) {
      return swept(new Run(manifest.withSweepBoundary(sweepBoundary), then, true), newest);
    }
    committer.<Boolean>commit(base -> Proposal.edit(base.withSweepBoundary(sweepBoundary), true));
    VersionedManifest committed = committer.cached().orElseThrow();
    if (!marks.anyAfter(now.minus(grace.dividedBy(MARKS)))) {
      marks.leave(committed.manifest(), clock.get());
    }
    return swept(new Run(committed.manifest(), then, false), committed);
  }

  /**
   * Deletes what the creation of a template, and refused pushes to it, have left. No commit lists
   * anything in a template, and its forks list what it lists, so it needs neither a boundary nor a
   * mark.
   */
  private Report ofTemplate(VersionedManifest versioned, boolean dryRun) throws IOException {
    Manifest manifest = versioned.manifest();
    Manifest allOlder = manifest.withSweepBoundary(manifest.generation());
    return swept(new Run(allOlder, Optional.empty(), dryRun), versioned);
  }

  private static Report swept(Run run, VersionedManifest manifest) throws IOException {
    run.deleteDoomed();
    return run.report(manifest);
  }

  /**
   * Sweeps a deleted repository.
   *
   * @param tombstone its manifest
   * @param grace minimum time since the deletion; may be zero
   * @param dryRun true to change nothing
   * @return the result
   * @throws IOException if the store does not answer, or a manifest cannot be read that may be of a
   *     fork
   */
  Report runDeleted(VersionedManifest tombstone, Duration grace, boolean dryRun)
      throws IOException {
    Manifest manifest = tombstone.manifest();
    long since = ((RepositoryState.Deleted) manifest.state()).since();
    if (manifest.generation() == 1
        && since == 0) { // never made: if it has objects, its manifest was lost
      Optional<UpToDate> upToDate = Optional.of(UpToDate.forGood(tombstone));
      return new Report(0, 0, 0, 0, dryRun, upToDate, Optional.empty());
    }
    long moment = grace.isZero() ? Long.MAX_VALUE : clock.get().minus(grace).toEpochMilli();
    if (since > moment) {
      return Report.spared(dryRun, Optional.empty());
    }
    if (manifest.mayHaveForks()) { // after the tombstone was read: later forks are not acknowledged
      Set<String> forks = Forks.of(store, manifest.repositoryId(), moment);
      if (!forks.isEmpty()) {
        return Report.spared(dryRun, forks.stream().findFirst());
      }
    }
    Run run = new Run(manifest.repositoryId(), dryRun);
    run.deleteDoomed();
    return run.report(tombstone);
  }

  /**
   * Deletes a repository that an import has left without a name, then sweeps it.
   *
   * @param committer its commit loop
   * @param grace minimum time since the last commit of the import, and since the deletion; the
   *     first one is a week at least
   * @param dryRun true to change nothing
   * @return the result
   * @throws ManifestException.Gone if the import has given it a name meanwhile
   * @throws IOException if the store does not answer, or the outcome of the commit is unknown
   */
  Report runImporting(ManifestCommitter committer, Duration grace, boolean dryRun)
      throws IOException {
    VersionedManifest seen = committer.validate();
    Instant last =
        Instant.ofEpochMilli(((RepositoryState.Importing) seen.manifest().state()).since());
    Duration patience = grace.compareTo(ABANDONED) > 0 ? grace : ABANDONED;
    if (clock.get().isBefore(last.plus(patience))) {
      return Report.spared(dryRun, Optional.empty());
    }
    long now = clock.get().toEpochMilli();
    if (dryRun) {
      Manifest tombstone = seen.manifest().deleted(now);
      return runDeleted(new VersionedManifest(tombstone, seen.version()), grace, true);
    }
    boolean deleted =
        committer.commit(
            base ->
                base.nonce().equals(seen.manifest().nonce())
                    ? Proposal.edit(base.deleted(now), true)
                    : Proposal.noEdit(false)); // the import goes on
    Optional<VersionedManifest> tombstone =
        deleted ? ManifestFile.read(store, seen.manifest().repositoryId()) : Optional.empty();
    return tombstone.isPresent()
        ? runDeleted(tombstone.get(), grace, false)
        : Report.spared(false, Optional.empty());
  }

  /** One sweep of the objects of a repository, and what it has done so far. */
  private final class Run {
    private final String repositoryId;

    /** True if the repository is deleted, so that nothing of it is needed. */
    private final boolean deleted;

    /** Objects that no commit will list. */
    private final UnlistedObjects now;

    /** Objects that no commit could list when the grace period began. */
    private final UnlistedObjects then;

    private final boolean dryRun;

    /** True if the sweep left objects for a later one. */
    private boolean spared;

    private long objects;
    private long bytes;
    private int uploads;

    /**
     * Creates a run over the objects of a repository.
     *
     * @param manifest manifest with the boundary
     * @param then objects ruled out when the grace period began; empty for none
     */
    Run(Manifest manifest, Optional<UnlistedObjects> then, boolean dryRun) {
      this.deleted = false;
      this.repositoryId = manifest.repositoryId();
      this.now = UnlistedObjects.by(manifest);
      this.then = then.orElse(now);
      this.dryRun = dryRun;
    }

    /** Creates a run over all objects of a deleted repository. */
    Run(String repositoryId, boolean dryRun) {
      this.deleted = true;
      this.repositoryId = repositoryId;
      this.now = new UnlistedObjects(Long.MAX_VALUE, Set.of());
      this.then = now;
      this.dryRun = dryRun;
    }

    /**
     * Creates the report.
     *
     * @param manifest manifest that the run was based on, which is up to date if nothing was left
     */
    Report report(VersionedManifest manifest) {
      Optional<UpToDate> upToDate =
          spared || dryRun ? Optional.empty() : Optional.of(UpToDate.forGood(manifest));
      long boundary = deleted ? manifest.manifest().generation() : now.sweepBoundary();
      return new Report(boundary, objects, bytes, uploads, dryRun, upToDate, Optional.empty());
    }

    /** Deletes or counts the doomed objects, and the uploads of such. */
    void deleteDoomed() throws IOException {
      Set<String> before = Set.of();
      for (Set<String> doomed = next(); !doomed.isEmpty(); doomed = next()) {
        checkGone(before, doomed);
        store.delete(doomed);
        before = doomed;
      }
      for (MultipartUpload upload : store.listMultipart(ObjectNames.prefix(repositoryId))) {
        if (!deleted && !now.contains(upload.key())) {
          spared = true;
          continue;
        }
        uploads++;
        if (!dryRun) {
          store.abortMultipart(upload);
        }
      }
    }

    /** Checks that the listing advances: fails if it lists a deleted object again. */
    private void checkGone(Set<String> deleted, Set<String> doomed) throws IOException {
      Optional<String> left = doomed.stream().filter(deleted::contains).findFirst();
      if (left.isPresent()) {
        throw new StoreException.Refused(
            left.get(),
            store.location()
                + "/"
                + left.get()
                + ": is still listed after the store has reported it deleted; see doctor, and"
                + " what the bucket retains",
            null);
      }
    }

    /** Counts doomed objects, and collects the next batch of keys to delete: none in a dry run. */
    private Set<String> next() throws IOException {
      Set<String> keys = new HashSet<>();
      store.list(
          ObjectNames.prefix(repositoryId),
          object -> {
            spared |= waits(object.key());
            if (keys.size() < AT_ONCE && isDoomed(object.key())) {
              objects++;
              bytes += object.size();
              if (!dryRun) {
                keys.add(object.key());
              }
            }
          });
      return keys;
    }

    /** Tests whether a later sweep may delete an object, unless it is listed until then. */
    private boolean waits(String key) {
      return ObjectNames.mintedAtOf(key).isPresent()
          && !now.listed().contains(key)
          && !key.startsWith(ObjectNames.marks(repositoryId))
          && !isDoomed(key);
    }

    private boolean isDoomed(String key) {
      if (deleted) {
        return true;
      }
      return now.contains(key) && then.contains(key);
    }
  }
}
