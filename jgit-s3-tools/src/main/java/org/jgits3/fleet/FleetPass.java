// SPDX-License-Identifier: Apache-2.0
package org.jgits3.fleet;

import java.io.Closeable;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.BitSet;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jgits3.internal.commit.ManifestFile;
import org.jgits3.internal.fleet.IdTable;
import org.jgits3.maintenance.UpToDate;
import org.jgits3.manifest.ObjectNames;
import org.jgits3.manifest.VersionedManifest;
import org.jgits3.store.MultipartUpload;
import org.jgits3.store.ObjectStore;
import org.jgits3.store.ObjectVersion;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One pass of a kind of maintenance over all repositories of a store. It returns the ids of those
 * whose manifest changed since a pass last finished with them, and of those with work that has
 * become due by age.
 *
 * <pre>{@code
 * try (FleetPass pass = new Fleet(manager).collectionPass(false)) {
 *   for (var id = pass.next(); id.isPresent(); id = pass.next()) {
 *     Optional<String> name = manager.nameOf(id.get()); // empty if it was deleted meanwhile
 *     if (name.isPresent()) {
 *       pass.done(id.get(), manager.maintenance(name.get()).collectGarbage(monitor).upToDate());
 *     }
 *   }
 *   pass.save();
 * }
 * }</pre>
 *
 * <p>A pass lists the manifests, a request for each 1,000 repositories that ever were. A repository
 * with nothing to do costs its share of that. Where listings give no versions (a directory), or
 * versions are not trusted, it costs a GET.
 *
 * <p>The record of finished work is one object in the store for each kind. It is saved in steps, so
 * that a pass resumes where an earlier one was killed. Concurrent passes keep each other's records.
 * A repository counts as done only after its work ended; one that failed is returned again by the
 * next pass. Used by one thread.
 */
public final class FleetPass implements Closeable {
  private static final Logger LOG = LoggerFactory.getLogger(FleetPass.class);

  /** Fewest repositories of a step, after which the state is saved. */
  static final int STEP = 256;

  /** Most steps of a pass, unless they take long: the state of a million repositories is large. */
  private static final int STEPS = 64;

  /** Time after which a step ends. */
  private static final Duration STEP_TIME = Duration.ofMinutes(5);

  /** Most attempts to save while other passes keep saving in between. */
  private static final int ATTEMPTS = 8;

  private final ObjectStore store;
  private final Options options;
  private final Supplier<Instant> clock;
  private final Claims claims;
  private final BitSet due;
  private Optional<ObjectVersion> stored = Optional.empty();
  private int next;
  private int given;
  private int unsaved;
  private final Instant began; // when the manifests had been listed
  private Instant saved;
  private boolean failed;

  /**
   * Choice of what a pass does.
   *
   * @param kind kind of maintenance, which names the object with the state
   * @param settings all settings that the work depends on; work done with other settings is
   *     repeated
   * @param trusted true if an equal version in the listing proves that a manifest did not change
   * @param sweeps true for sweeps: deleted repositories are included, and those with unfinished
   *     uploads are returned
   * @param all true to return all, whatever work is recorded
   */
  record Options(String kind, String settings, boolean trusted, boolean sweeps, boolean all) {}

  private FleetPass(
      ObjectStore store, Options options, Supplier<Instant> clock, RandomGenerator random)
      throws IOException {
    this.store = store;
    this.options = options;
    this.clock = clock;
    IdTable known = options.all() ? ScanState.NO_CLAIMS : readState().orElse(ScanState.NO_CLAIMS);
    this.claims = Claims.listed(store, known, options.trusted(), options.sweeps());
    this.next = random.nextInt(repositories() + 1);
    this.began = clock.get();
    this.saved = began;
    boolean all = options.all() || !claims.isVersioned();
    long now = began.toEpochMilli();
    this.due = claims.due(until -> all || until <= now);
    if (options.sweeps() && due.cardinality() < repositories()) {
      for (MultipartUpload upload : store.listMultipart(ObjectNames.PREFIX)) {
        ObjectNames.repositoryIdIn(upload.key()).ifPresent(this::give);
      }
    }
  }

  /**
   * Begins a pass: reads the state unless all repositories are given anyway, and lists the
   * manifests. A pass of sweeps also lists unfinished uploads.
   *
   * @param store the store
   * @param options what it does
   * @param clock tells the time
   * @return the pass
   * @throws IOException if the state is damaged, of another store or of another version, with one
   *     line that says what to do; or if the store does not answer or refuses
   */
  static FleetPass begin(ObjectStore store, Options options, Supplier<Instant> clock)
      throws IOException {
    return begin(store, options, clock, new SplittableRandom());
  }

  /**
   * As {@link #begin(ObjectStore, Options, Supplier)}, with the randomness that chooses the first
   * repository.
   */
  static FleetPass begin(
      ObjectStore store, Options options, Supplier<Instant> clock, RandomGenerator random)
      throws IOException {
    return new FleetPass(store, options, clock, random);
  }

  /** Reads the record of passes with the same settings; the next save replaces it. */
  private Optional<IdTable> readState() throws IOException {
    Optional<ScanState.Stored> found = ScanState.read(store, options.kind());
    stored = found.map(ScanState.Stored::version);
    return found
        .map(ScanState.Stored::state)
        .filter(state -> state.settings().equals(options.settings()))
        .map(ScanState::claims);
  }

  private void give(String repositoryId) {
    int i = claims.table().find(repositoryId);
    if (i >= 0) {
      due.set(i);
    }
  }

  /**
   * The next repository with something to do. A pass begins at a random one and wraps around, so
   * that a repository whose work kills the process every time does not block the others forever.
   *
   * @return its id; empty after the last
   * @throws IOException if the store does not answer or refuses
   */
  public Optional<String> next() throws IOException {
    while (!due.isEmpty()) {
      int i = due.nextSetBit(next);
      if (i < 0) {
        next = 0;
        continue;
      }
      due.clear(i);
      next = i + 1;
      String id = claims.table().id(i);
      if (claims.isVersioned() || options.all() || !isDone(i, id)) {
        given++;
        return Optional.of(id);
      }
    }
    return Optional.empty();
  }

  /**
   * Compares a claim with the manifest; false if that cannot be read, so that the work reports it.
   */
  private boolean isDone(int i, String id) {
    if (claims.until(i) <= began.toEpochMilli()) {
      return false;
    }
    try {
      Optional<VersionedManifest> found = ManifestFile.read(store, id);
      return found.isPresent() && claims.isOf(i, digest(found.get()));
    } catch (IOException e) {
      LOG.debug("{} is given since it cannot be read", id, e);
      return false;
    }
  }

  /** Digest of a version; where versions are not trusted, of the nonce in the manifest. */
  private long digest(VersionedManifest manifest) {
    return Claims.digest(
        options.trusted() ? manifest.version().value() : manifest.manifest().nonce());
  }

  /**
   * Notes that the work on a repository has ended, and saves the state now and then.
   *
   * @param repositoryId an id that {@link #next} gave
   * @param upToDate state in which the work left the repository; empty to return it again in the
   *     next pass
   */
  public void done(String repositoryId, Optional<UpToDate> upToDate) {
    if (upToDate.isPresent()) {
      VersionedManifest manifest = upToDate.get().manifest();
      if (manifest.manifest().repositoryId().equals(repositoryId)) {
        claims.make(repositoryId, digest(manifest), millis(upToDate.get().until()));
        unsaved++;
      } // else the name stands for another repository by now
    }
    boolean late = clock.get().isAfter(saved.plus(STEP_TIME));
    if (!failed && unsaved > 0 && (unsaved >= Math.max(STEP, repositories() / STEPS) || late)) {
      saveStep();
    }
  }

  private static long millis(Instant until) {
    return until.equals(Instant.MAX) ? Long.MAX_VALUE : until.toEpochMilli();
  }

  private void saveStep() {
    try {
      save();
    } catch (IOException e) {
      failed = true; // the final save reports it
      LOG.warn("the pass goes on, though its state cannot be saved: {}", e.getMessage());
    }
  }

  /**
   * Saves the record of finished work: one request, or none if nothing is new.
   *
   * @throws IOException if the store does not answer or refuses, or the stored state cannot be read
   *     any more; the next pass repeats the work done since the last save
   */
  public void save() throws IOException {
    for (int i = 1; unsaved > 0; i++) {
      Optional<ObjectVersion> version =
          new ScanState(store.location(), options.kind(), options.settings(), claims.table())
              .replace(store, stored);
      if (version.isPresent()) {
        stored = version;
        unsaved = 0;
        saved = clock.get();
        return;
      }
      if (i == ATTEMPTS) {
        throw new IOException(
            store.location()
                + "/scan/"
                + options.kind()
                + ": other passes keep replacing it; the next pass repeats what this one has done");
      }
      readState().ifPresent(claims::adopt);
    }
  }

  /**
   * Repositories that were listed.
   *
   * @return how many
   */
  public int repositories() {
    return claims.table().size();
  }

  /**
   * Repositories that {@link #next} has given.
   *
   * @return how many
   */
  public int given() {
    return given;
  }

  /** Saves the record if it can, for a pass that ends early. */
  @Override
  public void close() {
    if (!failed && unsaved > 0) {
      saveStep();
    }
  }
}
