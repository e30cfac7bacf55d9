// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.fork;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import org.jgits3.internal.commit.ManifestFile;
import org.jgits3.internal.fleet.NameTable;
import org.jgits3.internal.store.read.ParallelRequests;
import org.jgits3.manifest.Departure;
import org.jgits3.manifest.Manifest;
import org.jgits3.manifest.RepositoryName;
import org.jgits3.manifest.RepositoryState;
import org.jgits3.manifest.VersionedManifest;
import org.jgits3.store.ObjectStore;

/**
 * Finds the repositories that list objects of a template, by one reading of all manifests.
 *
 * <p>Misses no fork that is there from the beginning to the end, however often it is renamed
 * meanwhile: a name that repositories have left tells where each went, and that name is read again,
 * until it tells nothing new. A name remembers its last {@value Departure#KEPT} departures. Used by
 * one thread.
 */
public final class Forks {
  /** Manifests that are in memory at a time. */
  private static final int BATCH = 64;

  private final ObjectStore store;
  private final String templateId;
  private final SortedSet<String> found = new TreeSet<>();

  /** Generation of the manifest of each name that was read because a repository left for it. */
  private final Map<RepositoryName, Long> followed = new HashMap<>();

  private Forks(ObjectStore store, String templateId) {
    this.store = store;
    this.templateId = templateId;
  }

  /**
   * Finds the forks of a template.
   *
   * @param store the store
   * @param templateId id of the template
   * @return their names, of the moment in which each was read
   * @throws org.jgits3.manifest.ManifestException if a manifest cannot be read, which may be that
   *     of a fork
   * @throws IOException if the store does not answer
   */
  public static SortedSet<String> of(ObjectStore store, String templateId) throws IOException {
    Forks forks = new Forks(store, templateId);
    forks.find(false);
    return forks.found;
  }

  /**
   * Finds a fork of a template.
   *
   * @param store the store
   * @param templateId id of the template
   * @return name of one; empty if none was there during the whole search
   * @throws IOException as {@link #of}
   */
  public static Optional<String> any(ObjectStore store, String templateId) throws IOException {
    Forks forks = new Forks(store, templateId);
    forks.find(true);
    return forks.found.stream().findFirst();
  }

  private void find(boolean one) throws IOException {
    NameTable names = listed();
    List<RepositoryName> batch = new ArrayList<>();
    for (int i = 0; i < names.size(); i++) {
      RepositoryName.fromManifestKey(NameTable.manifestKey(names.name(i))).ifPresent(batch::add);
      if (batch.size() == BATCH || i == names.size() - 1) {
        read(batch);
        batch.clear();
      }
      if (one && !found.isEmpty()) {
        return;
      }
    }
  }

  private NameTable listed() throws IOException {
    NameTable.Builder names = new NameTable.Builder(0, 0, 0);
    byte[] none = new byte[0];
    store.list(
        RepositoryName.PREFIX,
        object -> {
          if (object.key().endsWith(NameTable.END)) {
            names.add(NameTable.stored(object.key()), none, 0);
          }
        });
    return names.build();
  }

  /** Reads some names, and those that repositories left them for. */
  private void read(List<RepositoryName> batch) throws IOException {
    Map<RepositoryName, Manifest> manifests = new ConcurrentHashMap<>();
    ParallelRequests.forEach(
        batch, name -> manifest(name).ifPresent(read -> manifests.put(name, read)));
    Set<RepositoryName> next = new LinkedHashSet<>();
    for (Map.Entry<RepositoryName, Manifest> each : manifests.entrySet()) {
      next.addAll(look(each.getKey(), each.getValue()));
    }
    while (!next.isEmpty()) {
      RepositoryName name = next.iterator().next();
      next.remove(name);
      Optional<Manifest> manifest = manifest(name);
      if (manifest.isPresent()
          && !Long.valueOf(manifest.get().generation())
              .equals(followed.put(name, manifest.get().generation()))) {
        next.addAll(look(name, manifest.get()));
      }
    }
  }

  private Optional<Manifest> manifest(RepositoryName name) throws IOException {
    return new ManifestFile(store, name).read().map(VersionedManifest::manifest);
  }

  /** Notes the fork of a manifest, and returns the names to which repositories have gone. */
  private Set<RepositoryName> look(RepositoryName name, Manifest manifest) throws IOException {
    Set<RepositoryName> gone = new LinkedHashSet<>();
    manifest.left().forEach(departure -> gone.add(new RepositoryName(departure.to())));
    boolean fork =
        manifest.isFork()
            && manifest.holdsRepository()
            && manifest.template().orElseThrow().repositoryId().equals(templateId);
    if (fork && manifest.state() instanceof RepositoryState.Moving moving) {
      RepositoryName to = new RepositoryName(moving.to());
      if (hasArrived(manifest(to), manifest, moving)) {
        gone.add(to); // what is left of a rename that was interrupted is no fork
        fork = false;
      }
    }
    if (fork) {
      found.add(name.value());
    }
    return gone;
  }

  /** Tests whether the name of a rename has a manifest that is later than its reservation. */
  private static boolean hasArrived(
      Optional<Manifest> target, Manifest origin, RepositoryState.Moving moving) {
    return target
        .filter(found -> found.generation() > moving.reserved())
        .filter(
            found ->
                !(found.state() instanceof RepositoryState.Reserved
                    && found.repositoryId().equals(origin.repositoryId())))
        .isPresent();
  }
}
