// SPDX-License-Identifier: Apache-2.0
package org.jgits3.verify;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jgits3.internal.catalog.RepositoryCatalog;
import org.jgits3.internal.commit.ManifestCommitter;
import org.jgits3.internal.commit.ManifestFile;
import org.jgits3.internal.fleet.Manifests;
import org.jgits3.manifest.Manifest;
import org.jgits3.manifest.ManifestException;
import org.jgits3.manifest.ObjectNames;
import org.jgits3.manifest.RepositoryName;
import org.jgits3.manifest.UnknownOutcomeException;
import org.jgits3.manifest.VersionedManifest;
import org.jgits3.store.ObjectStore;

/**
 * Compares the names that repositories say with the pointers of these names. They agree in a store
 * that only this software changes. In a copy of a store, of which each object was copied at another
 * moment, a pointer may lead elsewhere, or two repositories may say one name. Then a repository
 * cannot be found by its name, until the name is repaired.
 *
 * <p>Reads all manifests, and the pointer of each name. Used by one thread, also while others use
 * the store.
 */
public final class NameCheck {
  private final ObjectStore store;
  private final RepositoryCatalog catalog;
  private final List<Finding> findings = new ArrayList<>();

  /** Ids of the repositories that say a name. */
  private final SortedMap<String, List<String>> holders = new TreeMap<>();

  /** Ids of the repositories that may have forks. */
  private final Set<String> templates = new HashSet<>();

  /** Ids of the templates of forks, by the names of the forks. */
  private final SortedMap<String, String> forks = new TreeMap<>();

  /**
   * A contradiction.
   *
   * @param key key of the object that shows it
   * @param problem what is wrong and what to do, in one line
   * @param repaired true if it was repaired
   */
  public record Finding(String key, String problem, boolean repaired) {}

  /**
   * Prepares a check.
   *
   * @param store the store
   */
  public NameCheck(ObjectStore store) {
    this.store = store;
    this.catalog = new RepositoryCatalog(store, ManifestCommitter.DEADLINE);
  }

  /**
   * Finds contradictions, and repairs those that leave no choice: the pointer of a name that one
   * repository says, and a damaged pointer of a name that none says. A repair also takes names out
   * of the listing that a killed process has left there.
   *
   * @param repair true to repair them
   * @return the contradictions; empty if there are none
   * @throws IOException if the store does not answer
   */
  public List<Finding> run(boolean repair) throws IOException {
    Manifests.readAll(store, true, this::note, this::unreadable);
    for (Map.Entry<String, List<String>> holder : holders.entrySet()) {
      RepositoryName name = new RepositoryName(holder.getKey());
      try {
        check(name, holder.getValue(), repair);
      } catch (ManifestException.Unsupported e) {
        add(name.pointerKey(), e.getMessage(), false);
      }
    }
    checkPointers(repair);
    checkForks();
    return findings;
  }

  private void note(Manifest manifest) {
    manifest
        .name()
        .ifPresent(
            name ->
                holders
                    .computeIfAbsent(name.value(), absent -> new ArrayList<>())
                    .add(manifest.repositoryId()));
    if (manifest.mayHaveForks()) {
      templates.add(manifest.repositoryId());
    } else if (manifest.isFork() && manifest.name().isPresent()) {
      forks.put(manifest.name().get().value(), manifest.template().orElseThrow().repositoryId());
    }
  }

  private void unreadable(String repositoryId, ManifestException why) {
    templates.add(repositoryId); // perhaps; it is reported in any case
    add(ObjectNames.manifestKey(repositoryId), why.getMessage(), false);
  }

  private void add(String key, String problem, boolean repaired) {
    findings.add(new Finding(key, problem, repaired));
  }

  private void check(RepositoryName name, List<String> ids, boolean repair) throws IOException {
    if (ids.size() == 1 && leadsTo(name, ids.get(0))) {
      return;
    }
    List<String> saying = saying(ids, name);
    if (saying.size() > 1) {
      saying = saying(saying, name); // the name may have gone from one to the other meanwhile
    }
    if (saying.size() > 1) {
      add(
          name.pointerKey(),
          "the repositories "
              + String.join(" and ", saying)
              + " both say the name "
              + name
              + ", as in a copy of the store; rename or delete one of them by rename --id or delete"
              + " --id",
          false);
      return;
    }
    Optional<String> id = saying.stream().findFirst();
    if (id.isPresent() && !leadsTo(name, id.get()) && says(id.get(), name)) {
      repair(name, id.get(), repair);
    }
  }

  /** Those of some repositories that say a name now. */
  private List<String> saying(List<String> ids, RepositoryName name) throws IOException {
    List<String> saying = new ArrayList<>();
    for (String id : ids) {
      if (says(id, name)) {
        saying.add(id);
      }
    }
    return saying;
  }

  private boolean says(String id, RepositoryName name) throws IOException {
    try {
      return ManifestFile.read(store, id)
          .map(VersionedManifest::manifest)
          .flatMap(Manifest::name)
          .filter(name::equals)
          .isPresent();
    } catch (ManifestException damaged) {
      return false; // reported as such
    }
  }

  /** Tests whether the pointer of a name leads to a repository; false if it cannot be read. */
  private boolean leadsTo(RepositoryName name, String id) throws IOException {
    try {
      return catalog.find(name).equals(Optional.of(id));
    } catch (ManifestException unreadable) {
      return false;
    }
  }

  private void repair(RepositoryName name, String id, boolean repair) throws IOException {
    String problem =
        "the repository "
            + id
            + " says the name "
            + name
            + ", whose pointer leads elsewhere or is damaged";
    if (!repair) {
      add(name.pointerKey(), problem + "; see verify --names --repair", false);
      return;
    }
    try {
      catalog.repair(id, name);
      add(name.pointerKey(), problem, true);
    } catch (ManifestException.Exists taken) {
      add(
          name.pointerKey(),
          "the repository "
              + id
              + " says the name "
              + name
              + ", which another one has by now; give it another name by rename --id",
          false);
    } catch (ManifestException.Gone renamed) {
      // The name is right by now.
    } catch (ManifestException | UnknownOutcomeException e) {
      add(name.pointerKey(), problem + "; it was not repaired: " + e.getMessage(), false);
    }
  }

  /** Reports damaged pointers of names that no repository says. */
  private void checkPointers(boolean repair) throws IOException {
    List<RepositoryName> unsaid = new ArrayList<>();
    catalog.listAll(
        name -> {
          if (!holders.containsKey(name.value())) {
            unsaid.add(name);
          }
        });
    for (RepositoryName name : unsaid) {
      try {
        Optional<String> id = catalog.find(name);
        if (id.isPresent() && repair) {
          release(name, id.get());
        }
      } catch (ManifestException unreadable) {
        boolean repaired = repair && catalog.free(name); // only if it is damaged
        add(name.pointerKey(), unreadable.getMessage(), repaired);
      }
    }
  }

  /**
   * Takes a name out of the listing that a killed process has left there. A repository that has
   * objects but no manifest was not killed as it was created: its manifest is lost, and the pointer
   * tells its name.
   */
  private void release(RepositoryName name, String id) throws IOException {
    try {
      Optional<VersionedManifest> found = ManifestFile.read(store, id);
      Optional<RepositoryName> other = found.flatMap(each -> each.manifest().name());
      if (other.isPresent() && !isFound(id, other.get())) {
        return; // a contradiction of another name, which is reported
      }
      if (found.isEmpty() && forks.containsValue(id)) {
        return; // reported with its forks
      }
      if (found.isEmpty() && hasObjects(id)) {
        add(
            name.pointerKey(),
            "leads to the repository "
                + id
                + ", which has objects but no manifest; restore "
                + ObjectNames.manifestKey(id),
            false);
      } else if (catalog.release(name) && found.isEmpty()) {
        add(
            name.pointerKey(),
            "led to the repository " + id + ", which was never created; the name is free",
            true);
      }
    } catch (ManifestException.Corrupt damaged) {
      // The manifest that it leads to is reported.
    } catch (ManifestException e) {
      add(name.pointerKey(), "leads to no repository, and was not freed: " + e.getMessage(), false);
    }
  }

  private boolean hasObjects(String repositoryId) throws IOException {
    AtomicBoolean found = new AtomicBoolean();
    store.list(ObjectNames.prefix(repositoryId), object -> found.set(true));
    return found.get();
  }

  /** Tests whether a repository alone says a name, which leads to it. */
  private boolean isFound(String id, RepositoryName name) throws IOException {
    return List.of(id).equals(holders.get(name.value())) && leadsTo(name, id);
  }

  /** Reports forks without their template, which may have been made while they were read. */
  private void checkForks() throws IOException {
    for (Map.Entry<String, String> fork : forks.entrySet()) {
      String template = fork.getValue();
      if (!templates.contains(template) && ManifestFile.read(store, template).isEmpty()) {
        add(
            new RepositoryName(fork.getKey()).pointerKey(),
            "is a fork of the template "
                + template
                + ", of which there is no manifest; copy that, or detach the fork by gc "
                + fork.getKey()
                + " --detach",
            false);
      }
    }
  }
}
