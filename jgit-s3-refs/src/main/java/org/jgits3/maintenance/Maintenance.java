// SPDX-License-Identifier: Apache-2.0
package org.jgits3.maintenance;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.eclipse.jgit.lib.ProgressMonitor;
import org.eclipse.jgit.lib.StoredConfig;
import org.jgits3.internal.catalog.Catalog;
import org.jgits3.internal.commit.ManifestCommitter;
import org.jgits3.internal.pack.SharedPacks;
import org.jgits3.manifest.Manifest;
import org.jgits3.manifest.ManifestException;
import org.jgits3.manifest.RepositoryName;
import org.jgits3.manifest.RepositoryState;
import org.jgits3.manifest.VersionedManifest;
import org.jgits3.store.ObjectStore;

/**
 * Maintenance of one repository, which may go on in several processes at once and beside all other
 * use. Works through handles of its own. Safe for use by many threads.
 */
public final class Maintenance {
  private final ObjectStore store;
  private final RepositoryName name;
  private final ManifestCommitter committer;
  private final Maintained repository;

  /**
   * Maintenance of a repository. Does no request.
   *
   * @param store where it is
   * @param name its name
   * @param committer its commit loop
   * @param packs its packs
   * @param config gives its configuration, which is asked for whenever something is begun
   */
  public Maintenance(
      ObjectStore store,
      RepositoryName name,
      ManifestCommitter committer,
      SharedPacks packs,
      Supplier<StoredConfig> config) {
    this.store = store;
    this.name = name;
    this.committer = committer;
    this.repository = new Maintained(store, name, committer, packs, config);
  }

  /**
   * Checks that every object that the manifest lists exists and has the bytes that were written,
   * then makes JGit's fsck of all packs and refs. Reads everything, and changes nothing.
   *
   * @param monitor told how far it is; may cancel
   * @return what was found
   * @throws ManifestException if there is no such repository, or its manifest is damaged
   * @throws IOException if the store does not answer
   */
  public Verification.Report verify(ProgressMonitor monitor) throws IOException {
    GitCheck git = new GitCheck(repository);
    return new Verification(store, name, committer, git).run(monitor);
  }

  /**
   * Collects garbage, as {@link GarbageCollection} says, unless the packs are those of a collection
   * already and hold exactly what refs lead to. While it works no server compacts the packs it
   * works on. If another process is maintaining the repository, waits for that for up to two
   * minutes.
   *
   * @param monitor told how far it is; may cancel
   * @return what it came to
   * @throws ManifestException if there is no such repository, or its manifest is damaged
   * @throws IOException if it could not be done, or not be decided; the repository is as it was, or
   *     collected
   */
  public GarbageCollection.Report collectGarbage(ProgressMonitor monitor) throws IOException {
    return collectGarbage(monitor, LeaseKeeper.Pause.REAL);
  }

  /** As {@link #collectGarbage(ProgressMonitor)}, with a time of the test's own. */
  GarbageCollection.Report collectGarbage(ProgressMonitor monitor, LeaseKeeper.Pause pause)
      throws IOException {
    return new GarbageCollection(repository, pause).runIfUseful(monitor);
  }

  /**
   * Repacks everything, even what a collection has packed, so that a changed configuration of packs
   * takes effect. Waits as {@link #collectGarbage} does.
   *
   * @param monitor told how far it is; may cancel
   * @return what it came to
   * @throws IOException as {@link #collectGarbage}
   */
  public GarbageCollection.Report repack(ProgressMonitor monitor) throws IOException {
    return new GarbageCollection(repository, LeaseKeeper.Pause.REAL).run(monitor);
  }

  /**
   * Deletes objects that no manifest lists, as {@link Sweep} says.
   *
   * @param catalog which names hold the repository; read once for many sweeps
   * @param grace how long ago what is deleted must have been named, and listed for the last time,
   *     so that work in progress goes on; not needed for safety, but a push that takes longer
   *     fails, and a clone may, and has to be repeated
   * @param dryRun whether nothing is to be changed
   * @return what was deleted, or would be
   * @throws ManifestException if there is no such repository, its manifest is damaged, or several
   *     names hold it
   * @throws IOException if the store does not answer; what was deleted stays deleted
   */
  public Sweep.Report sweep(Catalog catalog, Duration grace, boolean dryRun) throws IOException {
    return new Sweep(store, catalog, Instant::now).run(committer, grace, dryRun);
  }

  /**
   * Merges small packs, one bounded step, as {@link PackCompaction} says.
   *
   * @return whether there was something to merge
   * @throws IOException if it could not be done, or not be decided; nothing is lost
   */
  public boolean compact() throws IOException {
    return new PackCompaction(repository).run() > 0;
  }

  /**
   * As {@link #compact}, unless another process maintains the repository. If that is a collection,
   * merges only packs that came after it began, and only if there are very many.
   *
   * @return whether packs were merged here
   */
  boolean compactIfFree() throws IOException {
    Lease lease = repository.lease(committer.validate().manifest());
    if (!lease.acquire()) {
      OptionalLong collected = lease.collectedElsewhere();
      return collected.isPresent()
          && new PackCompaction(repository).runBeside(collected.getAsLong()) > 0;
    }
    LeaseKeeper keeper = LeaseKeeper.of(lease);
    try {
      return compact();
    } finally {
      keeper.close();
    }
  }

  /** As {@link GarbageCollection#runIfFree}. */
  Optional<GarbageCollection.Report> collectIfFree(Predicate<Manifest> due, ProgressMonitor monitor)
      throws IOException {
    return new GarbageCollection(repository, LeaseKeeper.Pause.REAL).runIfFree(due, monitor);
  }

  /** Name of the repository. */
  RepositoryName name() {
    return name;
  }

  /** The newest manifest this process knows. */
  Optional<Manifest> newest() {
    return committer.cached().map(VersionedManifest::manifest);
  }

  /**
   * Deletes what a deleted repository has left.
   *
   * @param store where it was
   * @param catalog which names hold the life, in spite of the tombstone
   * @param tombstone its manifest, in state {@link RepositoryState.Deleted}
   * @param grace it is left alone until a sweep finds that one before has seen it so long ago; zero
   *     deletes at once
   * @param dryRun whether nothing is to be changed
   * @return what was deleted, or would be
   * @throws IOException if the store does not answer; what was deleted stays deleted
   */
  public static Sweep.Report sweepDeleted(
      ObjectStore store, Catalog catalog, Manifest tombstone, Duration grace, boolean dryRun)
      throws IOException {
    if (!(tombstone.state() instanceof RepositoryState.Deleted)) {
      throw new IllegalArgumentException("not deleted: " + tombstone.state());
    }
    return new Sweep(store, catalog, Instant::now).runDeleted(tombstone, grace, dryRun);
  }
}
