// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.fork;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
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
 * <p>Misses no fork that exists from the beginning to the end of the search, however often it is
 * renamed meanwhile: the manifest of a name tells where the repositories that left it went, and the
 * new name is read again if it was read before a repository arrived there. A name remembers its
 * last {@value Departure#KEPT} departures. Used by one thread.
 */
public final class Forks {
  /** Manifests that are in memory at a time. */
  private static final int BATCH = 64;

  private final ObjectStore store;
  private final String templateId;
  private final NameTable names;

  /** Generation of each name when it was last read; 0 if it was not read. */
  private final long[] read;

  /** The same for names that were not listed. */
  private final Map<RepositoryName, Long> unlisted = new HashMap<>();

  private final SortedSet<String> found = new TreeSet<>();

  private Forks(ObjectStore store, String templateId) throws IOException {
    this.store = store;
    this.templateId = templateId;
    this.names = NameTable.listed(store);
    this.read = new long[names.size()];
  }

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
    return new Forks(store, templateId).find(false);
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
    return new Forks(store, templateId).find(true).stream().findFirst();
  }

  private SortedSet<String> find(boolean one) throws IOException {
    List<RepositoryName> batch = new ArrayList<>();
    for (int i = 0; i < names.size(); i++) {
      names.repository(i).ifPresent(batch::add);
      if (batch.size() == BATCH || i == names.size() - 1) {
        read(batch);
        batch.clear();
      }
      if (one && !found.isEmpty()) {
        break;
      }
    }
    return found;
  }

  /** Reads some names, and those that repositories were renamed to from them. */
  private void read(List<RepositoryName> batch) throws IOException {
    Map<RepositoryName, Manifest> manifests = new ConcurrentHashMap<>();
    ParallelRequests.forEach(
        batch, name -> manifest(name).ifPresent(read -> manifests.put(name, read)));
    manifests.forEach(this::note);
    Deque<Map.Entry<RepositoryName, Manifest>> next = new ArrayDeque<>(manifests.entrySet());
    while (!next.isEmpty()) {
      Map.Entry<RepositoryName, Manifest> each = next.remove();
      for (Departure departure : look(each.getKey(), each.getValue())) {
        RepositoryName to = new RepositoryName(departure.to());
        if (wasReadBefore(to, departure.reserved())) {
          Optional<Manifest> arrived = manifest(to);
          arrived.ifPresent(manifest -> note(to, manifest));
          arrived.ifPresent(manifest -> next.add(Map.entry(to, manifest)));
        }
      }
    }
  }

  private int index(RepositoryName name) {
    return names.find(NameTable.stored(name.manifestKey()));
  }

  private void note(RepositoryName name, Manifest manifest) {
    int i = index(name);
    if (i >= 0) {
      read[i] = manifest.generation();
    } else {
      unlisted.put(name, manifest.generation());
    }
  }

  /**
   * Tests whether the last read of a name was before a repository could arrive there; false for a
   * listed name that is still to be read.
   */
  private boolean wasReadBefore(RepositoryName name, long reserved) {
    int i = index(name);
    return i >= 0
        ? read[i] > 0 && read[i] <= reserved
        : unlisted.getOrDefault(name, 0L) <= reserved;
  }

  private Optional<Manifest> manifest(RepositoryName name) throws IOException {
    return new ManifestFile(store, name).read().map(VersionedManifest::manifest);
  }

  /** Notes the fork if the manifest holds one, and returns the departures of the name. */
  private List<Departure> look(RepositoryName name, Manifest manifest) throws IOException {
    boolean fork =
        manifest.isFork()
            && manifest.holdsRepository()
            && manifest.template().orElseThrow().repositoryId().equals(templateId);
    if (fork
        && manifest.state() instanceof RepositoryState.Moving moving
        && hasArrived(manifest(new RepositoryName(moving.to())), name, manifest, moving)) {
      // The remains of an interrupted rename are not a fork.
      Departure unfinished = new Departure(manifest.repositoryId(), moving.to(), moving.reserved());
      return Departure.and(manifest.left(), unfinished);
    }
    if (fork) {
      found.add(name.value());
    }
    return manifest.left();
  }

  /** Tests whether the name of a rename has a manifest that is later than its reservation. */
  private static boolean hasArrived(
      Optional<Manifest> target,
      RepositoryName from,
      Manifest origin,
      RepositoryState.Moving moving) {
    return target
        .filter(there -> there.generation() > moving.reserved())
        .filter(
            there ->
                !(there.state() instanceof RepositoryState.Reserved reserved
                    && reserved.from().equals(from.value())
                    && there.repositoryId().equals(origin.repositoryId())))
        .isPresent();
  }
}
