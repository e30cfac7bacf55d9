// SPDX-License-Identifier: Apache-2.0
package org.jgits3.maintenance;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.LongSummaryStatistics;
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

  private static final Set<String> NONE = Set.of();

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
   *     uploaded objects since; empty if there is something left to delete later, or not known
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
    Report(long sweepBoundary, long objects, long bytes, int uploads, boolean dryRun) {
      this(sweepBoundary, objects, bytes, uploads, dryRun, Optional.empty(), Optional.empty());
    }

    private Report and(Report other) {
      return new Report(
          sweepBoundary,
          objects + other.objects,
          bytes + other.bytes,
          uploads + other.uploads,
          dryRun);
    }

    private Report withSettled(VersionedManifest manifest) {
      Optional<Settled> forGood = Optional.of(Settled.forGood(manifest));
      return new Report(sweepBoundary, objects, bytes, uploads, dryRun, forGood, fork);
    }

    private Report keptFor(String name) {
      return new Report(sweepBoundary, objects, bytes, uploads, dryRun, settled, Optional.of(name));
    }

    /** Result for a name that has nothing to sweep as long as it has this manifest. */
    static Report nothing(VersionedManifest manifest, boolean dryRun) {
      return new Report(0, 0, 0, 0, dryRun).withSettled(manifest);
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
    Manifest manifest = committer.validate().manifest();
    checkOneName(manifest.repositoryId());
    if (manifest.isTemplate()) {
      return ofTemplate(manifest, grace, dryRun, committer.cached().orElseThrow());
    }
    SweepMarks marks = new SweepMarks(store, manifest, now);
    long sweepBoundary = Math.max(manifest.sweepBoundary(), marks.endedBefore(moment));
    Optional<UnlistedObjects> then =
        grace.isZero() ? Optional.empty() : Optional.of(marks.unlistedBefore(moment));
    if (dryRun) {
      return swept(new Run(manifest.withSweepBoundary(sweepBoundary), then), grace, true, NONE);
    }
    committer.<Boolean>commit(base -> Proposal.edit(base.withSweepBoundary(sweepBoundary), true));
    VersionedManifest committed = committer.cached().orElseThrow();
    if (!marks.anyAfter(now.minus(grace.dividedBy(MARKS)))) {
      marks.leave(committed.manifest(), clock.get());
    }
    Run run = new Run(committed.manifest(), then);
    return settled(run, swept(run, grace, false, NONE), committed);
  }

  /**
   * Deletes what the making of a template has left, and pushes to it that were refused. No commit
   * lists anything in a template, and its forks list what it lists, so it needs neither a boundary
   * nor a mark.
   */
  private Report ofTemplate(
      Manifest manifest, Duration grace, boolean dryRun, VersionedManifest versioned)
      throws IOException {
    Run run = new Run(manifest.withSweepBoundary(manifest.generation()), Optional.empty());
    return settled(run, swept(run, grace, dryRun, NONE), versioned);
  }

  /** Says that nothing is left, if that is so: of the manifest that the run went by. */
  private static Report settled(Run run, Report report, VersionedManifest manifest) {
    return run.spared || report.dryRun() ? report : report.withSettled(manifest);
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
    Run run = new Run(manifest.repositoryId(), manifest.generation(), manifest.nonce());
    Optional<String> fork = // after the tombstone was read: later forks are not acknowledged
        manifest.isTemplate() ? Forks.any(store, manifest.repositoryId()) : Optional.empty();
    if (fork.isEmpty()) {
      return settled(run, ended(run, grace, dryRun, NONE), tombstone);
    }
    if (!dryRun) {
      store.delete(List.of(run.end)); // the grace period begins when the last fork has gone
    }
    return run.nothing(dryRun).keptFor(fork.get());
  }

  /**
   * Deletes or counts the doomed objects, then those of deleted repositories that had the name
   * before.
   */
  private Report swept(Run run, Duration grace, boolean dryRun, Set<String> above)
      throws IOException {
    Report report = dryRun ? run.count() : run.delete();
    Set<String> underWay = new HashSet<>(above);
    underWay.add(run.repositoryId);
    for (String former : run.formers) {
      String note = ObjectNames.formerKey(run.repositoryId, former);
      Run earlier = new Run(former, Long.MAX_VALUE, text(note).orElse(former));
      report = report.and(ended(earlier, grace, dryRun, underWay));
      run.spared |= earlier.spared;
      if (!dryRun && !earlier.spared) {
        store.delete(List.of(note)); // last, to be found again
      }
    }
    if (!dryRun && !run.spared && !run.end.isEmpty()) {
      store.delete(List.of(run.end)); // with what is left, its grace period would begin anew
    }
    return report;
  }

  /**
   * Deletes or counts the objects of a deleted repository, unless a name holds it, or it was
   * deleted within the grace period.
   *
   * @param underWay ids of the repositories whose notes led here. One of them may be named again:
   *     two renames that each stalled and lost can leave notes that name each other.
   */
  private Report ended(Run run, Duration grace, boolean dryRun, Set<String> underWay)
      throws IOException {
    if (underWay.contains(run.repositoryId)) {
      return run.nothing(dryRun);
    }
    if (!nameIndex.holders(run.repositoryId).isEmpty()) {
      if (!dryRun) {
        store.delete(List.of(run.end)); // if it is deleted again, that is another deletion
      }
      return run.nothing(dryRun);
    }
    if (isOver(run.end, grace, dryRun)) {
      return swept(run, grace, dryRun, underWay);
    }
    run.spared = true;
    return run.nothing(dryRun);
  }

  /**
   * Tests whether a sweep noted the deletion of a repository at least a grace period ago. Notes it
   * now if none has.
   */
  private boolean isOver(String key, Duration grace, boolean dryRun) throws IOException {
    if (grace.isZero()) {
      return true;
    }
    Instant now = clock.get();
    Optional<Instant> seen = timeIn(key).filter(time -> !time.isAfter(now));
    if (seen.isEmpty() && !dryRun) {
      byte[] note = note(key, now.toString()).getBytes(US_ASCII);
      store.put(key, note, 0, note.length);
    }
    return seen.filter(time -> !time.isAfter(now.minus(grace))).isPresent();
  }

  /** The time in a note; empty if there is none, or its checksum is wrong: it is written anew. */
  private Optional<Instant> timeIn(String key) throws IOException {
    String text = text(key).orElse("");
    String time = text.split(" ", 2)[0];
    return text.equals(note(key, time)) ? Optional.of(Instant.parse(time)) : Optional.empty();
  }

  /** A time, and the CRC32C of key and time: no manifest has a checksum of a note. */
  private static String note(String key, String time) {
    int checksum = Crc32c.of((key + ' ' + time).getBytes(US_ASCII));
    return time + ' ' + HexFormat.of().toHexDigits(checksum);
  }

  private Optional<String> text(String key) throws IOException {
    return store.get(key, Optional.empty()) instanceof GetResult.Found found
        ? Optional.of(new String(found.bytes(), US_ASCII))
        : Optional.empty();
  }

  /** State of one sweep. */
  private final class Run {
    private final String repositoryId;

    /** Key of the note of the repository's deletion; empty if it is not deleted. */
    private final String end;

    private final String prefix;
    private final String endings;

    /** Objects that no commit will list. */
    private final UnlistedObjects now;

    /** Objects that no commit could list when the grace period began. */
    private final UnlistedObjects then;

    /** Ids of deleted repositories that had the name before, found while listing. */
    private final Set<String> formers = new TreeSet<>();

    /** True if the sweep left objects for a later one, also of a repository before. */
    private boolean spared;

    /**
     * Creates a run over the objects of a repository.
     *
     * @param manifest manifest with the boundary
     * @param then objects ruled out when the grace period began; empty for none
     */
    Run(Manifest manifest, Optional<UnlistedObjects> then) {
      this.end = "";
      this.repositoryId = manifest.repositoryId();
      this.prefix = ObjectNames.prefix(repositoryId);
      this.endings = ObjectNames.ended(repositoryId);
      this.now = UnlistedObjects.by(manifest);
      this.then = then.orElse(now);
    }

    /**
     * Creates a run over the remaining objects of a deleted repository.
     *
     * @param end nonce of its tombstone
     */
    Run(String repositoryId, long sweepBoundary, String end) {
      this.end =
          ObjectNames.endedKey(repositoryId, NONCE.matcher(end).matches() ? end : repositoryId);
      this.repositoryId = repositoryId;
      this.prefix = ObjectNames.prefix(repositoryId);
      this.endings = ObjectNames.ended(repositoryId);
      this.now = new UnlistedObjects(sweepBoundary, Set.of());
      this.then = now;
    }

    Report nothing(boolean dryRun) {
      return new Report(now.sweepBoundary(), 0, 0, 0, dryRun);
    }

    Report count() throws IOException {
      LongSummaryStatistics doomed = new LongSummaryStatistics();
      store.list(
          prefix,
          object -> {
            note(object.key());
            if (isDoomed(object.key())) {
              doomed.accept(object.size());
            }
          });
      return new Report(
          now.sweepBoundary(), doomed.getCount(), doomed.getSum(), uploads().size(), true);
    }

    Report delete() throws IOException {
      LongSummaryStatistics deleted = new LongSummaryStatistics();
      Set<String> before = Set.of();
      for (Set<String> doomed = next(deleted); !doomed.isEmpty(); doomed = next(deleted)) {
        checkGone(before, doomed);
        store.delete(doomed);
        before = doomed;
      }
      List<MultipartUpload> uploads = uploads();
      for (MultipartUpload upload : uploads) {
        store.abortMultipart(upload);
      }
      return new Report(
          now.sweepBoundary(), deleted.getCount(), deleted.getSum(), uploads.size(), false);
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

    /** Collects the next batch of keys to delete. */
    private Set<String> next(LongSummaryStatistics sizes) throws IOException {
      Set<String> keys = new HashSet<>();
      store.list(
          prefix,
          object -> {
            note(object.key());
            if (keys.size() < AT_ONCE && isDoomed(object.key())) {
              keys.add(object.key());
              sizes.accept(object.size());
            }
          });
      return keys;
    }

    /**
     * Notes that an object waits for a later sweep, and the id of a repository that had the name
     * before, never the own id: a rename overtaken by another rename and by a deletion can leave
     * such a key.
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

    private List<MultipartUpload> uploads() throws IOException {
      List<MultipartUpload> all = store.listMultipart(prefix);
      List<MultipartUpload> doomed = all.stream().filter(u -> now.contains(u.key())).toList();
      spared |= doomed.size() < all.size();
      return doomed;
    }

    private boolean isDoomed(String key) {
      if (!end.isEmpty() && (key.equals(Lease.key(repositoryId)) || key.startsWith(endings))) {
        return !key.equals(end); // nothing is maintained any more
      }
      return now.contains(key) && then.contains(key);
    }
  }
}
