// SPDX-License-Identifier: Apache-2.0
package org.jgits3.fleet;

import java.io.IOException;
import java.util.List;
import java.util.stream.Collectors;
import org.eclipse.jgit.lib.Config;
import org.eclipse.jgit.lib.ConfigConstants;
import org.eclipse.jgit.util.SystemReader;
import org.jgits3.S3RepositoryManager;

/**
 * Passes over all repositories of a store, which return those that may need work. Safe for use by
 * many threads.
 */
public final class Fleet {
  private static final String PACK_SECTION = "pack";

  private final S3RepositoryManager manager;

  /**
   * Prepares passes. Makes no request.
   *
   * @param manager the store, to stay open meanwhile
   */
  public Fleet(S3RepositoryManager manager) {
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
   * @return the pass, for {@link S3RepositoryManager#sweepById}
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
    boolean trusted = manager.settings().trustETag();
    return FleetPass.begin(
        manager.store(),
        new FleetPass.Options(kind, used, trusted, sweeps, all),
        () -> SystemReader.getInstance().now());
  }
}
