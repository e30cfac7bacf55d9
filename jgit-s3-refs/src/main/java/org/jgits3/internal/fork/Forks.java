// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.fork;

import java.io.IOException;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jgits3.internal.fleet.Manifests;
import org.jgits3.manifest.Manifest;
import org.jgits3.manifest.RepositoryState;
import org.jgits3.store.ObjectStore;

/**
 * Finds the repositories that list objects of a template, by one reading of all manifests. Misses
 * no fork that exists from the beginning to the end of the search, however often it is renamed.
 */
public final class Forks {
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

  private static boolean counts(Manifest fork, long since) {
    return !(fork.state() instanceof RepositoryState.Deleted deleted) || deleted.since() >= since;
  }
}
