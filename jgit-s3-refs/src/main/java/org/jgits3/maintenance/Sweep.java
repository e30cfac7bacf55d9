// SPDX-License-Identifier: Apache-2.0
package org.jgits3.maintenance;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.jgits3.internal.commit.ManifestCommitter;
import org.jgits3.internal.commit.Proposal;
import org.jgits3.internal.fork.Forks;
import org.jgits3.manifest.Manifest;
import org.jgits3.manifest.ManifestException;
import org.jgits3.manifest.ObjectNames;
import org.jgits3.manifest.RepositoryName;
import org.jgits3.manifest.VersionedManifest;
import org.jgits3.store.Crc32c;
import org.jgits3.store.GetResult;
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
 * <p>This requires that the repository has no other name. The catalog ensures that, but a restore
 * of the store may break it. So a sweep reads all manifests first. It deletes nothing of a
 * repository with two names, and nothing of a deleted repository that still has a name.
 *
 * <p>An object is deleted only if a mark older than the grace period rules it out as well, because
 * a reader that began while the object was listed may still be reading it.
 */
public final class Sweep {
  /** Number of objects decided on before they are deleted; bounds the memory. */
  private static final int AT_ONCE = 50_000;

  /** Marks per grace period, so that the newest expired one is hardly older than the period. */
  private static final int MARKS = 2;

  private static final Pattern NONCE = Pattern.compile("[0-9a-f]{32}");

  private final ObjectStore store;
  private final NameIndex nameIndex;
  private final Supplier<Instant> clock;

  /**
   * Result of a sweep.
   *
   * @param sweepBoundary generation up to which minted names were considered
   * @param objects objects deleted
   * @param bytes bytes of them
   * @param uploads uploads aborted
   * @param dryRun true if nothing was deleted or aborted
   * @param settled manifest that leaves a sweep nothing to do, unless a process dies that has
   *     uploaded objects since; empty if something is left to delete later, or that is not known
   * @param fork a fork for which the objects of a deleted template stay; empty for none
   */
  public record Report(
      long sweepBoundary,
      long objects,
      long bytes,
      int uploads,
      boolean dryRun,
      Optional<Settled> settled,
      Optional<String> fork) {
    /** Result for a name that has nothing to sweep as long as it has this manifest. */
    static Report nothing(VersionedManifest manifest, boolean dryRun) {
      Optional<Settled> forGood = Optional.of(Settled.forGood(manifest));
      return new Report(0, 0, 0, 0, dryRun, forGood, Optional.empty());
    }
  }

  Sweep(ObjectStore store, NameIndex nameIndex, Supplier<Instant> clock) {
    this.store = store;
    this.nameIndex = nameIndex;
    this.clock = clock;
  }

  /**
   * Sweeps a repository.
   *
   * @param committer its commit loop
   * @param grace minimum time since an object was named or listed, and since a repository of the
   *     same name was deleted, before its objects are deleted; may be zero
   * @param dryRun true to change nothing
   * @return the result
   * @throws ManifestException if several names hold the repository; nothing was changed
   * @throws IOException if the store does not answer, or the outcome of the commit is unknown
   */
  Report run(ManifestCommitter committer, Duration grace, boolean dryRun) throws IOException {
    Instant now = clock.get();
    Instant moment = now.minus(grace);
    VersionedManifest newest = committer.validate();
    Manifest manifest = newest.manifest();
    checkOneName(manifest.repositoryId());
    if (manifest.isTemplate()) {
      return ofTemplate(newest, grace, dryRun);
    }
    SweepMarks marks = new SweepMarks(store, manifest, now);
    long sweepBoundary = Math.max(manifest.sweepBoundary(), marks.endedBefore(moment));
    Optional<UnlistedObjects> then =
        grace.isZero() ? Optional.empty() : Optional.of(marks.unlistedBefore(moment));
    if (dryRun) {
      return swept(new Run(manifest.withSweepBoundary(sweepBoundary), then, grace, true), newest);
    }
    committer.<Boolean>commit(base -> Proposal.edit(base.withSweepBoundary(sweepBoundary), true));
    VersionedManifest committed = committer.cached().orElseThrow();
    if (!marks.anyAfter(now.minus(grace.dividedBy(MARKS)))) {
      marks.leave(committed.manifest(), clock.get());
    }
    return swept(new Run(committed.manifest(), then, grace, false), committed);
  }

  /**
   * Deletes what the creation of a template, and refused pushes to it, have left. No commit lists
   * anything in a template, and its forks list what it lists, so it needs neither a boundary nor a
   * mark.
   */
  private Report ofTemplate(VersionedManifest versioned, Duration grace, boolean dryRun)
      throws IOException {
    Manifest manifest = versioned.manifest();
    Manifest allOlder = manifest.withSweepBoundary(manifest.generation());
    return swept(new Run(allOlder, Optional.empty(), grace, dryRun), versioned);
  }

  private static Report swept(Run run, VersionedManifest manifest) throws IOException {
    run.sweep(Set.of());
    return run.report(manifest, Optional.empty());
  }

  private void checkOneName(String repositoryId) throws IOException {
    SortedSet<RepositoryName> holders = nameIndex.holders(repositoryId);
    if (holders.size() > 1) {
      throw new ManifestException(NameIndex.severalNames(holders) + "; nothing was swept", null);
    }
  }

  /**
   * Sweeps the remaining objects of a deleted repository, unless a name holds it again. A new
   * repository of its name has another id.
   *
   * @param tombstone its manifest
   * @param grace minimum time between the first sweep that saw the tombstone and the one that
   *     deletes
   * @param dryRun true to change nothing
   * @return the result
   * @throws IOException if the store does not answer
   */
  Report runDeleted(VersionedManifest tombstone, Duration grace, boolean dryRun)
      throws IOException {
    Manifest manifest = tombstone.manifest();
    Run run =
        new Run(manifest.repositoryId(), manifest.generation(), manifest.nonce(), grace, dryRun);
    Optional<String> fork = // after the tombstone was read: later forks are not acknowledged
        manifest.isTemplate() ? Forks.any(store, manifest.repositoryId()) : Optional.empty();
    if (fork.isEmpty()) {
      run.sweepEnded(Set.of());
    } else {
      run.forgetEnd(); // the grace period begins when the last fork has gone
    }
    return run.report(tombstone, fork);
  }

  /**
   * Time in a note; empty if there is no note, or if its checksum is wrong, so that it is
   * rewritten.
   */
  private Optional<Instant> timeIn(String key) throws IOException {
    String text = text(key).orElse("");
    String time = text.split(" ", 2)[0];
    return text.equals(note(key, time)) ? Optional.of(Instant.parse(time)) : Optional.empty();
  }

  /** A time, and the CRC32C of key and time, because no manifest lists the checksum of a note. */
  private static String note(String key, String time) {
    int checksum = Crc32c.of((key + ' ' + time).getBytes(US_ASCII));
    return time + ' ' + HexFormat.of().toHexDigits(checksum);
  }

  private Optional<String> text(String key) throws IOException {
    return store.get(key, Optional.empty()) instanceof GetResult.Found found
        ? Optional.of(new String(found.bytes(), US_ASCII))
        : Optional.empty();
  }

  /** One sweep of the objects of a repository, and what it has done so far. */
  private final class Run {
    private final String repositoryId;

    /** Key of the note of the repository's deletion; empty if it is not deleted. */
    private final String end;

    /** Objects that no commit will list. */
    private final UnlistedObjects now;

    /** Objects that no commit could list when the grace period began. */
    private final UnlistedObjects then;

    private final Duration grace;
    private final boolean dryRun;

    /** Ids of deleted repositories that had the name before, found while listing. */
    private final Set<String> formers = new TreeSet<>();

    /** True if the sweep left objects, including those of former repositories, for a later one. */
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
    Run(Manifest manifest, Optional<UnlistedObjects> then, Duration grace, boolean dryRun) {
      this.end = "";
      this.repositoryId = manifest.repositoryId();
      this.now = UnlistedObjects.by(manifest);
      this.then = then.orElse(now);
      this.grace = grace;
      this.dryRun = dryRun;
    }

    /**
     * Creates a run over the remaining objects of a deleted repository.
     *
     * @param end nonce of its tombstone
     */
    Run(String repositoryId, long sweepBoundary, String end, Duration grace, boolean dryRun) {
      this.end =
          ObjectNames.endedKey(repositoryId, NONCE.matcher(end).matches() ? end : repositoryId);
      this.repositoryId = repositoryId;
      this.now = new UnlistedObjects(sweepBoundary, Set.of());
      this.then = now;
      this.grace = grace;
      this.dryRun = dryRun;
    }

    /**
     * Creates the report.
     *
     * @param manifest manifest that the run was based on, which is settled if nothing was left
     * @param fork a fork for which all objects stay
     */
    Report report(VersionedManifest manifest, Optional<String> fork) {
      boolean left = spared || dryRun || fork.isPresent();
      Optional<Settled> settled = left ? Optional.empty() : Optional.of(Settled.forGood(manifest));
      return new Report(now.sweepBoundary(), objects, bytes, uploads, dryRun, settled, fork);
    }

    /**
     * Deletes or counts the doomed objects, then those of deleted repositories that had the name
     * before.
     *
     * @param above ids of the repositories whose notes led here
     */
    void sweep(Set<String> above) throws IOException {
      deleteDoomed();
      Set<String> underWay = new HashSet<>(above);
      underWay.add(repositoryId);
      for (String former : formers) {
        String note = ObjectNames.formerKey(repositoryId, former);
        Run earlier = new Run(former, Long.MAX_VALUE, text(note).orElse(former), grace, dryRun);
        earlier.sweepEnded(underWay);
        objects += earlier.objects;
        bytes += earlier.bytes;
        uploads += earlier.uploads;
        spared |= earlier.spared;
        if (!dryRun && !earlier.spared) {
          store.delete(List.of(note)); // last, to be found again
        }
      }
      if (!spared && !end.isEmpty()) {
        forgetEnd(); // if objects were left, their grace period would begin anew
      }
    }

    /**
     * Sweeps a deleted repository, unless a name holds it, or it was deleted within the grace
     * period.
     *
     * @param underWay ids of the repositories whose notes led here. One of them may be named again:
     *     two renames that each stalled and lost can leave notes that name each other.
     */
    void sweepEnded(Set<String> underWay) throws IOException {
      if (underWay.contains(repositoryId)) {
        return;
      }
      if (!nameIndex.holders(repositoryId).isEmpty()) {
        forgetEnd(); // if it is deleted again, that is another deletion
      } else if (isOver()) {
        sweep(underWay);
      } else {
        spared = true;
      }
    }

    void forgetEnd() throws IOException {
      if (!dryRun) {
        store.delete(List.of(end));
      }
    }

    /**
     * Tests whether a sweep noted the deletion of the repository at least a grace period ago. Notes
     * it now if none has.
     */
    private boolean isOver() throws IOException {
      if (grace.isZero()) {
        return true;
      }
      Instant present = clock.get();
      Optional<Instant> seen = timeIn(end).filter(time -> !time.isAfter(present));
      if (seen.isEmpty() && !dryRun) {
        byte[] note = Sweep.note(end, present.toString()).getBytes(US_ASCII);
        store.put(end, note, 0, note.length);
      }
      return seen.filter(time -> !time.isAfter(present.minus(grace))).isPresent();
    }

    private void deleteDoomed() throws IOException {
      Set<String> before = Set.of();
      for (Set<String> doomed = next(); !doomed.isEmpty(); doomed = next()) {
        checkGone(before, doomed);
        store.delete(doomed);
        before = doomed;
      }
      for (MultipartUpload upload : store.listMultipart(ObjectNames.prefix(repositoryId))) {
        if (!now.contains(upload.key())) {
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
            note(object.key());
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

    /**
     * Notes whether an object waits for a later sweep, and the id of a repository that had the name
     * before if its key contains one. Ignores the id of this repository: a rename overtaken by
     * another rename and by a deletion can leave such a key.
     */
    private void note(String key) {
      ObjectNames.formerIn(repositoryId, key)
          .filter(id -> !id.equals(repositoryId))
          .ifPresent(formers::add);
      spared |= waits(key);
    }

    /** Tests whether a later sweep may delete an object, unless it is listed until then. */
    private boolean waits(String key) {
      return ObjectNames.mintedAtOf(key).isPresent()
          && !now.listed().contains(key)
          && !key.startsWith(ObjectNames.marks(repositoryId))
          && !isDoomed(key);
    }

    private boolean isDoomed(String key) {
      if (!end.isEmpty()
          && (key.equals(Lease.key(repositoryId))
              || key.startsWith(ObjectNames.ended(repositoryId)))) {
        return !key.equals(end); // nothing is maintained any more
      }
      return now.contains(key) && then.contains(key);
    }
  }
}
