// SPDX-License-Identifier: Apache-2.0
package org.jgits3.maintenance;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Predicate;
import org.eclipse.jgit.lib.ProgressMonitor;
import org.eclipse.jgit.util.SystemReader;
import org.jgits3.internal.commit.ManifestCommitter;
import org.jgits3.internal.commit.ManifestFile;
import org.jgits3.internal.version.MaintenanceTarget;
import org.jgits3.manifest.Manifest;
import org.jgits3.manifest.ManifestException;
import org.jgits3.manifest.RepositoryState;
import org.jgits3.manifest.VersionedManifest;
import org.jgits3.store.ObjectStore;

/**
 * Maintenance of one repository. May run in several processes at once and beside all other use.
 * Works through handles of its own. Safe for use by many threads.
 */
public final class Maintenance {
  private final MaintenanceTarget repository;

  /**
   * Creates the maintenance of a repository. Makes no request.
   *
   * @param repository the repository
   */
  public Maintenance(MaintenanceTarget repository) {
    this.repository = repository;
  }

  /**
   * The repository, for tools that read it as maintenance does.
   *
   * @return the repository
   */
  public MaintenanceTarget repository() {
    return repository;
  }

  /**
   * Collects garbage, as {@link GarbageCollection} says, unless the packs are those of a collection
   * and hold exactly the reachable objects. Meanwhile no server compacts the packs that are being
   * collected. If another process is maintaining the repository, waits up to two minutes for it.
   *
   * @param monitor receives progress; may cancel
   * @return the result
   * @throws ManifestException if there is no such repository, or its manifest is damaged
   * @throws IOException if the collection failed, or its outcome is unknown; the repository is as
   *     it was, or collected
   */
  public GarbageCollection.Report collectGarbage(ProgressMonitor monitor) throws IOException {
    return collectGarbage(monitor, LeaseKeeper.Pause.REAL);
  }

  /** As {@link #collectGarbage(ProgressMonitor)}, with waits chosen by a test. */
  GarbageCollection.Report collectGarbage(ProgressMonitor monitor, LeaseKeeper.Pause pause)
      throws IOException {
    return new GarbageCollection(repository, pause).runIfUseful(monitor);
  }

  /**
   * Finds what {@link #collectGarbage} would do. Writes nothing, so that a manager that was opened
   * to be read can do it.
   *
   * @param monitor receives progress; may cancel
   * @return the plan
   * @throws ManifestException as {@link #collectGarbage}
   * @throws IOException if the store does not answer
   */
  public GarbageCollection.Plan planGarbageCollection(ProgressMonitor monitor) throws IOException {
    return new GarbageCollection(repository, LeaseKeeper.Pause.REAL).plan(monitor);
  }

  /**
   * Repacks everything, even packs of a collection, so that a changed configuration of packs takes
   * effect. Waits as {@link #collectGarbage} does.
   *
   * @param monitor receives progress; may cancel
   * @return the result
   * @throws IOException as {@link #collectGarbage}
   */
  public GarbageCollection.Report repack(ProgressMonitor monitor) throws IOException {
    return new GarbageCollection(repository, LeaseKeeper.Pause.REAL).run(monitor);
  }

  /**
   * Collects a fork together with the packs of its template, so that it lists none of these
   * afterwards. Waits as {@link #collectGarbage} does.
   *
   * @param monitor receives progress; may cancel
   * @return the result
   * @throws IOException as {@link #collectGarbage}
   */
  public GarbageCollection.Report collectWithTemplate(ProgressMonitor monitor) throws IOException {
    return new GarbageCollection(repository, LeaseKeeper.Pause.REAL).detach(monitor);
  }

  /**
   * Deletes objects that no manifest lists, as {@link Sweep} says.
   *
   * @param grace minimum time since an object was named, and since it was last listed, before it is
   *     deleted, so that work in progress goes on; not needed for safety, but a push that takes
   *     longer fails, a clone that takes longer may fail, and both have to be repeated
   * @param dryRun true to change nothing
   * @return the objects deleted, or to be deleted
   * @throws ManifestException if there is no such repository, or its manifest is damaged
   * @throws IOException if the store does not answer; objects deleted until then stay deleted
   */
  public Sweep.Report sweep(Duration grace, boolean dryRun) throws IOException {
    return new Sweep(repository.store(), Maintenance::now)
        .run(repository.committer(), grace, dryRun);
  }

  /**
   * Merges small packs, one bounded step, as {@link PackCompaction} says.
   *
   * @return true if there were packs to merge
   * @throws IOException if the merge failed, or its outcome is unknown; nothing is lost
   */
  public boolean compact() throws IOException {
    return new PackCompaction(repository).run() > 0;
  }

  /**
   * As {@link #compact}, unless another process maintains the repository. If that is a collection,
   * merges only packs that came after it began, and only if there are very many.
   *
   * @return true if this call merged packs
   */
  boolean compactIfFree() throws IOException {
    Lease lease =
        new Lease(repository.store(), repository.committer().validate().manifest().repositoryId());
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

  /** The newest manifest this process knows. */
  Optional<Manifest> newest() {
    return repository.committer().cached().map(VersionedManifest::manifest);
  }

  /**
   * Deletes the objects of a repository that has no name: it was deleted, or an import has left it.
   *
   * @param store store of the repository
   * @param manifest its manifest
   * @param grace minimum time since the deletion, or since the last commit of an import; zero
   *     deletes a deleted repository at once
   * @param dryRun true to change nothing
   * @return the objects deleted, or to be deleted
   * @throws IllegalArgumentException if the repository has a name
   * @throws IOException if the store does not answer; objects deleted until then stay deleted
   */
  public static Sweep.Report sweepNameless(
      ObjectStore store, VersionedManifest manifest, Duration grace, boolean dryRun)
      throws IOException {
    Sweep sweep = new Sweep(store, Maintenance::now);
    RepositoryState state = manifest.manifest().state();
    if (state instanceof RepositoryState.Deleted) {
      return sweep.runDeleted(manifest, grace, dryRun);
    } else if (state instanceof RepositoryState.Importing) {
      String id = manifest.manifest().repositoryId();
      ManifestFile file = new ManifestFile(store, id, Optional.empty());
      return sweep.runImporting(
          new ManifestCommitter(file, ManifestCommitter.DEADLINE), grace, dryRun);
    }
    throw new IllegalArgumentException("has a name: " + state);
  }

  /**
   * Current time of JGit's clock, so that a program can replace it for JGit and maintenance alike.
   */
  static Instant now() {
    return SystemReader.getInstance().now();
  }
}
