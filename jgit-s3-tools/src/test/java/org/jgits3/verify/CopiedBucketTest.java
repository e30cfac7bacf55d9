// SPDX-License-Identifier: Apache-2.0
package org.jgits3.verify;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.eclipse.jgit.errors.RepositoryNotFoundException;
import org.eclipse.jgit.lib.NullProgressMonitor;
import org.jgits3.Purpose;
import org.jgits3.S3Repository;
import org.jgits3.S3RepositoryManager;
import org.jgits3.TestRepositories;
import org.jgits3.fleet.Fleet;
import org.jgits3.fleet.FleetPass;
import org.jgits3.internal.catalog.RepositoryCatalog;
import org.jgits3.internal.commit.ManifestCommitter;
import org.jgits3.internal.commit.ManifestFile;
import org.jgits3.internal.commit.StoredManifest;
import org.jgits3.internal.fleet.Manifests;
import org.jgits3.maintenance.MaintenanceFixture;
import org.jgits3.manifest.ManifestException;
import org.jgits3.manifest.ObjectNames;
import org.jgits3.manifest.RepositoryName;
import org.jgits3.store.DelegatingObjectStore;
import org.jgits3.store.GetResult;
import org.jgits3.store.MemoryObjectStore;
import org.jgits3.store.ObjectStore;
import org.jgits3.store.ObjectVersion;
import org.jgits3.store.Precondition;
import org.jgits3.store.PutOutcome;
import org.jgits3.store.StoreContent;
import org.jgits3.testing.Seeds;

/**
 * A store in use is copied object by object, in random order, between the requests of those who use
 * it. The copy is used as it is, then its names are repaired.
 */
class CopiedBucketTest {
  private static final int NAMES = 24;
  private static final String TEMPLATE = "template";
  private static final Pattern LOST =
      Pattern.compile("repository (\\p{XDigit}{32}), which has objects but no manifest");

  private final MemoryObjectStore live = new MemoryObjectStore();
  private final MemoryObjectStore copy = new MemoryObjectStore();
  private final Set<String> deletedInCopy = new HashSet<>();
  private Random random;

  /** Copies manifests and names, then the rest, as a backup does. */
  private final class Copier {
    private final Deque<String> left = new ArrayDeque<>();
    private boolean namesCopied;

    Copier() throws IOException {
      add(key -> !key.startsWith(ObjectNames.PREFIX));
    }

    private void add(Predicate<String> which) throws IOException {
      List<String> keys = StoreContent.keys(live, "");
      keys.removeIf(which.negate());
      Collections.shuffle(keys, random);
      left.addAll(keys);
    }

    /** Copies an object; returns false after the last one. */
    synchronized boolean step() throws IOException {
      if (left.isEmpty() && !namesCopied) {
        namesCopied = true;
        add(key -> key.startsWith(ObjectNames.PREFIX));
      }
      if (left.isEmpty()) {
        return false;
      }
      String key = left.remove();
      if (live.get(key, Optional.empty()) instanceof GetResult.Found found) {
        copy.put(key, found.bytes(), 0, found.bytes().length);
      }
      return true;
    }
  }

  /** The live store, of which objects are copied before its requests. */
  private ObjectStore copiedMeanwhile(Copier copier) {
    return new DelegatingObjectStore(live) {
      private void copySome() throws IOException {
        if (random.nextInt(5) == 0) {
          copier.step();
        }
      }

      @Override
      public PutOutcome putIf(String key, byte[] body, Precondition condition) throws IOException {
        copySome();
        return super.putIf(key, body, condition);
      }

      @Override
      public GetResult get(String key, Optional<ObjectVersion> known) throws IOException {
        copySome();
        return super.get(key, known);
      }
    };
  }

  private static S3RepositoryManager process(ObjectStore store) throws Exception {
    return MaintenanceFixture.manager(store);
  }

  private String name() {
    return "r" + random.nextInt(NAMES);
  }

  private static void push(S3Repository r, String message) throws IOException {
    TestRepositories.force(r, "refs/heads/main", TestRepositories.commit(r, message));
  }

  private void importTo(S3RepositoryManager manager, String name, boolean template)
      throws IOException {
    try (S3Repository made = manager.imports().create(template)) {
      push(made, "import of " + name);
      if (template) {
        manager.imports().freeze(made, made.manifest());
      }
      manager.imports().publish(made, RepositoryName.of(name));
    }
  }

  /** Does something at random; some of it is refused. */
  private void use(S3RepositoryManager manager) throws IOException {
    String name = name();
    try {
      switch (random.nextInt(8)) {
        case 0 -> manager.createRepository(name).close();
        case 1, 2, 3 -> manager.rename(name, name());
        case 4 -> manager.fork(TEMPLATE, name).close();
        case 5 -> importTo(manager, name, false);
        case 6 -> delete(manager, name);
        default -> {
          try (S3Repository r = manager.openRepository(name, Purpose.request())) {
            push(r, "push to " + name + " " + random.nextInt());
          }
        }
      }
    } catch (ManifestException | RepositoryNotFoundException refused) {
      assertThat(refused).isNotInstanceOf(ManifestException.Corrupt.class);
    }
  }

  private void delete(S3RepositoryManager manager, String name) throws IOException {
    try (S3Repository r = manager.openRepository(name, Purpose.request())) {
      String id = r.manifest().repositoryId();
      manager.delete(name);
      deletedInCopy.add(id);
    }
  }

  /** Names of all repositories that have one, by id. */
  private static Map<String, String> repositories(ObjectStore store) throws IOException {
    List<String> ids = new ArrayList<>();
    Manifests.list(store, (id, object) -> ids.add(id));
    Map<String, String> names = new TreeMap<>();
    for (String id : ids) {
      ManifestFile.read(store, id)
          .flatMap(found -> found.manifest().name())
          .ifPresent(name -> names.put(id, name.value()));
    }
    return names;
  }

  @Seeds(20)
  void repository_of_a_copied_store_is_found_or_reported_and_sound(long seed) throws Exception {
    random = new Random(seed);
    try (S3RepositoryManager manager = process(live)) {
      importTo(manager, TEMPLATE, true);
      for (int i = 0; i < NAMES; i += 2) {
        importTo(manager, "r" + i, false);
      }
    }
    Map<String, String> before = repositories(live);
    Copier copier = new Copier();
    try (S3RepositoryManager manager = process(copiedMeanwhile(copier))) {
      do {
        for (int i = 0; i < 2; i++) {
          use(manager);
        }
      } while (copier.step());
    }
    Set<String> throughout = new TreeSet<>(before.keySet());
    throughout.retainAll(repositories(live).keySet());
    assertThat(throughout).as("seed %d", seed).hasSizeGreaterThan(NAMES / 4);
    deletedInCopy.clear();
    try (S3RepositoryManager manager = process(copy)) {
      for (int i = 0; i < NAMES; i++) {
        use(manager);
      }
      sweep(manager);
      List<NameCheck.Finding> findings = new NameCheck(manager.store()).run(true);
      throughout.removeAll(deletedInCopy);
      for (String id : throughout) {
        isFoundOrReported(id, findings, seed);
      }
      giveOtherNames(manager, findings);
      for (NameCheck.Finding finding : new NameCheck(manager.store()).run(true)) {
        assertThat(isOfLostManifest(finding)).as("seed %d, %s", seed, finding).isTrue();
      }
      sweep(manager);
    }
    try (S3RepositoryManager manager = process(copy)) {
      for (String id : throughout) {
        String name = manager.nameOf(id).orElseThrow();
        assertThat(StoredManifest.read(copy, name).repositoryId()).isEqualTo(id);
        Verification.Report report =
            new Verification(manager, NullProgressMonitor.INSTANCE).run(name);
        assertThat(report.findings()).as("seed %d, %s of id %s", seed, name, id).isEmpty();
      }
    }
  }

  private static void sweep(S3RepositoryManager manager) throws IOException {
    FleetPass pass = new Fleet(manager).sweepPass(true);
    for (var id = pass.next(); id.isPresent(); id = pass.next()) {
      try {
        manager.sweepById(id.get(), Duration.ZERO, false);
      } catch (ManifestException | RepositoryNotFoundException unreachable) {
        assertThat(unreachable).isNotInstanceOf(ManifestException.Corrupt.class);
      }
    }
  }

  /**
   * Tests whether a name leads to a repository that was made after the manifests were copied, and
   * of which objects were: its manifest is to be restored.
   */
  private boolean isOfLostManifest(NameCheck.Finding finding) throws IOException {
    Matcher id = LOST.matcher(finding.problem());
    return !finding.repaired()
        && id.find()
        && copy.stat(ObjectNames.manifestKey(id.group(1))).isEmpty();
  }

  private void isFoundOrReported(String id, List<NameCheck.Finding> findings, long seed)
      throws IOException {
    String name = repositories(copy).get(id);
    assertThat(name).as("seed %d, name of %s", seed, id).isNotNull();
    boolean found = leadsTo(name, id);
    boolean reported =
        findings.stream()
            .anyMatch(finding -> !finding.repaired() && finding.problem().contains(id));
    assertThat(found || reported).as("seed %d, %s of id %s", seed, name, id).isTrue();
  }

  /** Tests whether a name leads to a repository; of two that say one name it may lead to none. */
  private boolean leadsTo(String name, String id) throws IOException {
    return new RepositoryCatalog(copy, ManifestCommitter.DEADLINE)
        .find(RepositoryName.of(name))
        .equals(Optional.of(id));
  }

  /** Does what the findings say: of two repositories with one name, the name's other one goes. */
  private void giveOtherNames(S3RepositoryManager manager, List<NameCheck.Finding> findings)
      throws IOException {
    Map<String, String> names = repositories(copy);
    int renamed = 0;
    for (Map.Entry<String, String> each : names.entrySet()) {
      String id = each.getKey();
      boolean reported =
          findings.stream()
              .anyMatch(finding -> !finding.repaired() && finding.problem().contains(id));
      if (reported && !leadsTo(each.getValue(), id)) {
        manager.renameById(id, "restored" + renamed++);
      }
    }
  }
}
