// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.fork;

import java.io.IOException;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jgits3.internal.fleet.Manifests;
import org.jgits3.manifest.Manifest;
import org.jgits3.manifest.ManifestException;
import org.jgits3.manifest.RepositoryName;
import org.jgits3.manifest.RepositoryState;
import org.jgits3.store.ObjectStore;

/**
 * Finds the repositories that list objects of a template, by one reading of all manifests. Misses
 * no fork that exists from the beginning to the end of the search, however often it is renamed.
 */
public final class Forks {
  /** Most forks that a message names. */
  private static final int SHOWN = 3;

  private Forks() {}

  /**
   * Finds the forks of a template.
   *
   * @param store the store
   * @param templateId id of the template
   * @return their names, each as of the moment when it was read
   * @throws org.jgits3.manifest.ManifestException if a manifest cannot be read, which may be that
   *     of a fork
   * @throws IOException if the store does not answer
   */
  public static SortedSet<String> of(ObjectStore store, String templateId) throws IOException {
    return of(store, templateId, Long.MAX_VALUE);
  }

  /**
   * Finds the forks of a template, and those that were deleted of late and may still be read.
   *
   * @param store the store
   * @param templateId id of the template
   * @param since time in milliseconds since the epoch, from which a deletion is of late
   * @return names or ids of the forks
   * @throws IOException as {@link #of(ObjectStore, String)}
   */
  public static SortedSet<String> of(ObjectStore store, String templateId, long since)
      throws IOException {
    SortedSet<String> found = new TreeSet<>();
    Manifests.readAll(
        store,
        since < Long.MAX_VALUE,
        manifest -> {
          boolean fork =
              manifest.isFork()
                  && manifest.template().orElseThrow().repositoryId().equals(templateId);
          if (fork && counts(manifest, since)) {
            found.add(
                manifest
                    .name()
                    .map(Object::toString)
                    .orElse("of id " + manifest.repositoryId() + ", deleted of late"));
          }
        });
    return found;
  }

  /**
   * Refuses to delete a template that has forks. Only a service to users: a sweep looks for forks
   * as well.
   *
   * @param store the store
   * @param name name of the repository
   * @param manifest its manifest
   * @throws ManifestException if it has forks
   * @throws IOException as {@link #of(ObjectStore, String)}
   */
  public static void checkNone(ObjectStore store, RepositoryName name, Manifest manifest)
      throws IOException {
    SortedSet<String> forks =
        manifest.isTemplate() ? of(store, manifest.repositoryId()) : new TreeSet<>();
    if (!forks.isEmpty()) {
      throw new ManifestException(
          name
              + ": the template has "
              + (forks.size() == 1 ? "the fork " : forks.size() + " forks, ")
              + forks.stream().limit(SHOWN).collect(Collectors.joining(" and "))
              + (forks.size() > SHOWN ? " among them" : "")
              + "; delete or detach them first, or give --detach; nothing was deleted",
          null);
    }
  }

  private static boolean counts(Manifest fork, long since) {
    return !(fork.state() instanceof RepositoryState.Deleted deleted) || deleted.since() >= since;
  }
}
