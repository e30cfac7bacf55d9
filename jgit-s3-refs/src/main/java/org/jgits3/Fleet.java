// SPDX-License-Identifier: Apache-2.0
package org.jgits3;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.eclipse.jgit.lib.Config;
import org.eclipse.jgit.lib.ConfigConstants;
import org.eclipse.jgit.util.SystemReader;
import org.jgits3.internal.commit.ManifestFile;
import org.jgits3.internal.commit.ManifestReads;
import org.jgits3.maintenance.FleetPass;
import org.jgits3.maintenance.Maintenance;
import org.jgits3.maintenance.NameCheck;
import org.jgits3.maintenance.Sweep;
import org.jgits3.manifest.ManifestException;
import org.jgits3.manifest.RepositoryName;
import org.jgits3.manifest.VersionedManifest;

/**
 * Work on all repositories of a store: passes that return those that may need it, and the check of
 * their names. Safe for use by many threads.
 */
public final class Fleet {
  private static final String PACK_SECTION = "pack";

  private final S3RepositoryManager manager;

  Fleet(S3RepositoryManager manager) {
    this.manager = manager;
  }

  /**
   * Begins a pass of garbage collections. It returns the repositories that may have something to
   * collect: those that changed, those whose garbage has expired, or all if the administrator's
   * {@code [gc]} or {@code [pack]} settings changed.
   *
   * @param all true to give all repositories
   * @return the pass
   * @throws IOException as {@link FleetPass#begin}
   */
  public FleetPass collectionPass(boolean all) throws IOException {
    String collecting = text(ConfigConstants.CONFIG_GC_SECTION) + text(PACK_SECTION);
    return pass("gc", collecting, false, all);
  }

  /**
   * Begins a pass of verifications. It returns the repositories that changed since a verification
   * found them sound, or all. Only a pass over all finds damage at rest in unchanged ones.
   *
   * @param all true to give all repositories
   * @return the pass
   * @throws IOException as {@link FleetPass#begin}
   */
  public FleetPass verificationPass(boolean all) throws IOException {
    return pass("verify", "", false, all);
  }

  /**
   * Begins a pass of sweeps. Of all repositories that ever were, it returns those that may have
   * something to delete, now or later: those that changed since a sweep found nothing waiting to be
   * deleted, and those with unfinished uploads. If a process died between its uploads and its
   * commit, in a repository that no longer changes, only a pass over all finds its objects.
   *
   * @param all true to give all repositories
   * @return the pass, for {@link #sweepById}
   * @throws IOException as {@link FleetPass#begin}
   */
  public FleetPass sweepPass(boolean all) throws IOException {
    return pass("sweep", "", true, all);
  }

  /** All values of a section of the administrator's configuration. */
  private String text(String section) {
    Config config = manager.settings().config();
    return config.getNames(section, true).stream()
        .sorted()
        .map(
            name -> section + '.' + name + '=' + List.of(config.getStringList(section, null, name)))
        .collect(Collectors.joining("\n", "", "\n"));
  }

  private FleetPass pass(String kind, String used, boolean sweeps, boolean all) throws IOException {
    boolean trusted = manager.settings().manifestReads() == ManifestReads.VALIDATED;
    return FleetPass.begin(
        manager.store(),
        new FleetPass.Options(kind, used, trusted, sweeps, all),
        () -> SystemReader.getInstance().now());
  }

  /**
   * Compares the names that repositories say with what the names lead to, which may differ in a
   * copy of a store: reads all manifests and names.
   *
   * @param repair true to repair what leaves no choice
   * @return the contradictions; empty if there are none
   * @throws IOException if the store does not answer
   */
  public List<NameCheck.Finding> checkNames(boolean repair) throws IOException {
    return new NameCheck(manager.store()).run(repair);
  }

  /**
   * Deletes objects of a repository that no manifest lists; all of one that was deleted, or that an
   * import has left.
   *
   * @param repositoryId its id
   * @param grace as {@link Maintenance#sweep} and {@link Maintenance#sweepNameless}
   * @param dryRun whether nothing is to be changed
   * @return what was deleted, or would be
   * @throws ManifestException.Gone if there is no repository of this id, and was none
   * @throws IOException as {@link Maintenance#sweep}
   */
  public Sweep.Report sweepById(String repositoryId, Duration grace, boolean dryRun)
      throws IOException {
    VersionedManifest found =
        ManifestFile.read(manager.store(), repositoryId)
            .orElseThrow(
                () ->
                    new ManifestException.Gone("there is no repository of the id " + repositoryId));
    Optional<RepositoryName> name = found.manifest().name();
    return name.isPresent()
        ? manager.sweep(name.get().value(), grace, dryRun)
        : Maintenance.sweepNameless(manager.store(), found, grace, dryRun);
  }
}
