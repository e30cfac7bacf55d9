// SPDX-License-Identifier: Apache-2.0
package org.jgits3.simulation.world;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.eclipse.jgit.lib.NullProgressMonitor;
import org.eclipse.jgit.lib.ObjectId;
import org.jgits3.Purpose;
import org.jgits3.S3Repository;
import org.jgits3.S3RepositoryManager;
import org.jgits3.Soundness;
import org.jgits3.TestRepositories;
import org.jgits3.TestTemplates;
import org.jgits3.history.RefRestoration;
import org.jgits3.internal.function.IoRunnable;
import org.jgits3.internal.pack.RestoredPack;
import org.jgits3.internal.refs.snapshot.SnapshotTables;
import org.jgits3.manifest.Manifest;
import org.jgits3.manifest.PackEntry;
import org.jgits3.testing.PackBytes;

/**
 * Objects that are pushed, inserted, found and referred to, while packs are merged, collected and
 * swept, and the repository is renamed, deleted, created anew and restored.
 */
public final class PackWorld extends RepositoryWorld {
  private static final String TEMPLATE = "t";
  private static final String FORK = "f";
  private static final int REFS = 3;
  private static final List<ObjectId> FIRST = new ArrayList<>();

  /** All commits that were ever made, whatever became of them. */
  private final List<ObjectId> commits = new ArrayList<>(FIRST);

  private int made;
  private boolean names;

  /** Makes a world. */
  public PackWorld() {}

  @Override
  void begin(S3RepositoryManager manager) throws IOException {
    try (S3Repository repository = manager.openRepository(NAME)) {
      ObjectId first = TestRepositories.commit(repository, "first");
      FIRST.add(first);
      FIRST.add(TestRepositories.commit(repository, "second", first));
      FIRST.add(TestRepositories.commit(repository, "garbage"));
      update(NAME, repository, new History.Change(ref(0), "", FIRST.get(1).name()));
    }
    template(NAME, manager);
  }

  private static String ref(int number) {
    return "refs/heads/" + number;
  }

  private ObjectId some() {
    return commits.get(random.nextInt(commits.size()));
  }

  /** A repository that can be written. */
  private String name() {
    if (history.refs(FORK) != null && random.nextInt(3) == 0) {
      return FORK;
    }
    return history.refs(NAME) == null ? OTHER : NAME;
  }

  @Override
  void act(S3RepositoryManager manager) throws IOException {
    String name = name();
    switch (random.nextInt(names() ? 26 : 16)) {
      case 0, 1, 2 -> push(name, manager);
      case 3, 4 -> insert(name, manager);
      case 5, 6, 7 -> find(name, manager);
      case 8 -> deleteRef(name, manager);
      case 9, 10, 11 -> {
        scheduler.trace(() -> "collect " + name);
        manager.maintenance(name).collectGarbage(NullProgressMonitor.INSTANCE);
      }
      case 12 -> {
        scheduler.trace(() -> "compact " + name);
        manager.maintenance(name).compact();
      }
      case 13, 14 -> sweep(name, manager);
      case 15 -> list(name, manager);
      case 16 -> rename(name, manager);
      case 17 -> delete(name, manager);
      case 18 ->
          change(
              Names.Kind.CREATE,
              Optional.empty(),
              NAME,
              () -> manager.createRepository(NAME).close());
      case 19 -> restore(name, manager);
      case 20 -> template(name, manager);
      case 21, 22, 23 -> fork(manager);
      case 24 -> detach(manager);
      default -> sweepNameless(manager);
    }
  }

  private boolean names() {
    if (made == 0) {
      made = 1;
      names = random.nextInt(3) == 0;
    }
    return names;
  }

  private History.Change to(String name, ObjectId value) {
    String ref = ref(random.nextInt(REFS));
    String now = history.refs(name) == null ? "" : history.refs(name).getOrDefault(ref, "");
    return new History.Change(ref, random.nextInt(5) == 0 ? value.name() : now, value.name());
  }

  /** A push with a pack that waits for its refs. */
  private void push(String name, S3RepositoryManager manager) throws IOException {
    try (S3Repository repository = manager.openRepository(name, Purpose.push())) {
      ObjectId parent = some();
      if (repository.getObjectDatabase().has(parent)) {
        ObjectId child = PackBytes.childOf(parent).pushTo(repository);
        commits.add(child);
        switch (random.nextInt(6)) {
          case 0 -> refer(name, repository, onTopOf(child, repository));
          case 1 -> {
            ObjectId hooked = onTopOf(child, repository);
            try (S3Repository other = manager.openRepository(name)) {
              refer(name, other, hooked); // and the push is refused
            }
          }
          default -> refer(name, repository, child);
        }
      }
    }
  }

  /** Inserts a commit on top of one that waits, as a hook does. */
  private ObjectId onTopOf(ObjectId pushed, S3Repository repository) throws IOException {
    ObjectId child = TestRepositories.commit(repository, "c" + made++, pushed);
    commits.add(child);
    return child;
  }

  private void refer(String name, S3Repository repository, ObjectId value) throws IOException {
    History.Change change = to(name, value);
    if (random.nextInt(3) == 0 && !change.to().equals(change.expected())) {
      batch(name, repository, List.of(change));
    } else {
      update(name, repository, change);
    }
  }

  /** A commit in a pack that is listed at once, and perhaps a ref to it. */
  private void insert(String name, S3RepositoryManager manager) throws IOException {
    try (S3Repository repository = manager.openRepository(name, Purpose.request())) {
      ObjectId parent = some();
      ObjectId child =
          repository.getObjectDatabase().has(parent)
              ? TestRepositories.commit(repository, "c" + made++, parent)
              : TestRepositories.commit(repository, "c" + made++);
      commits.add(child);
      if (random.nextBoolean()) {
        refer(name, repository, child);
      }
    }
  }

  /** A ref to a commit that is found in the repository. */
  private void find(String name, S3RepositoryManager manager) throws IOException {
    try (S3Repository repository =
        random.nextBoolean()
            ? manager.openRepository(name)
            : manager.openRepository(name, Purpose.request())) {
      ObjectId found = some();
      if (repository.getObjectDatabase().has(found)) {
        refer(name, repository, found);
      }
    }
  }

  private void deleteRef(String name, S3RepositoryManager manager) throws IOException {
    try (S3Repository repository = manager.openRepository(name, Purpose.request())) {
      String ref = ref(random.nextInt(REFS));
      String now = history.refs(name) == null ? "" : history.refs(name).getOrDefault(ref, "");
      if (!now.isEmpty()) {
        update(name, repository, new History.Change(ref, now, ""));
      }
    }
  }

  private void delete(String name, S3RepositoryManager manager) {
    change(Names.Kind.DELETE, Optional.empty(), name, () -> manager.delete(name));
  }

  private void rename(String name, S3RepositoryManager manager) {
    String to = name.equals(NAME) ? OTHER : NAME;
    change(Names.Kind.RENAME, Optional.of(name), to, () -> manager.rename(name, to));
  }

  private void change(Names.Kind kind, Optional<String> from, String to, IoRunnable work) {
    naming(
        kind,
        from,
        to,
        () -> {
          work.run();
          return null;
        });
  }

  private void template(String name, S3RepositoryManager manager) {
    change(
        Names.Kind.IMPORT,
        Optional.empty(),
        TEMPLATE,
        () -> TestTemplates.make(manager, name, TEMPLATE));
  }

  private void fork(S3RepositoryManager manager) {
    if (history.refs(TEMPLATE) != null) {
      change(Names.Kind.FORK, Optional.empty(), FORK, () -> manager.fork(TEMPLATE, FORK).close());
    }
  }

  /** Detaches the fork, or deletes it or its template. */
  private void detach(S3RepositoryManager manager) throws IOException {
    switch (random.nextInt(3)) {
      case 0 -> {
        scheduler.trace(() -> "detach");
        manager.detach(FORK, NullProgressMonitor.INSTANCE);
      }
      case 1 -> delete(FORK, manager);
      default -> delete(TEMPLATE, manager);
    }
  }

  /** Sweeps all repositories that were deleted or have no name. */
  private void sweepNameless(S3RepositoryManager manager) throws IOException {
    for (String id : history.naming().ids()) {
      if (history.naming().manifest(id).name().isEmpty()) {
        scheduler.trace(() -> "sweep " + id);
        manager.sweepById(id, Duration.ZERO, false);
      }
    }
  }

  private void restore(String name, S3RepositoryManager manager) throws IOException {
    List<Manifest> copies = history.manifests();
    Manifest copy = copies.get(random.nextInt(copies.size()));
    scheduler.trace(() -> "restore " + name + " as of " + copy.generation());
    if (!copy.holdsRepository()) {
      return;
    }
    try (S3Repository repository = manager.openRepository(name, Purpose.request())) {
      repository.getObjectDatabase().deferReceivedPacks();
      RefRestoration refs =
          repository
              .history()
              .restoration(copy.generation(), SnapshotTables.read(manager.store(), copy));
      Set<String> listed = stored(repository.manifest());
      RestoredPack restored = new RestoredPack(repository.getObjectDatabase(), manager.store());
      for (PackEntry pack : copy.packs()) {
        if (!listed.contains(copy.owner(pack.id()) + pack.id())) {
          restored.copy(pack, copy.owner(pack.id()), NullProgressMonitor.INSTANCE);
        }
      }
      refs.apply();
    }
  }

  private static Set<String> stored(Manifest manifest) {
    return manifest.packs().stream()
        .map(pack -> manifest.owner(pack.id()) + pack.id())
        .collect(Collectors.toSet());
  }

  @Override
  void check(S3RepositoryManager manager) throws IOException {
    for (String name : List.of(NAME, OTHER, TEMPLATE, FORK)) {
      if (history.refs(name) != null) {
        list(name, manager);
        checkLog(name, manager);
        List<String> faults = Soundness.faults(manager, name);
        if (!faults.isEmpty()) {
          throw new AssertionError(name + " is not sound: " + faults);
        }
      }
    }
  }
}
