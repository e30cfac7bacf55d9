// SPDX-License-Identifier: Apache-2.0
package org.jgits3.stress.torture;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.random.RandomGenerator;
import org.eclipse.jgit.errors.MissingObjectException;
import org.eclipse.jgit.lib.BatchRefUpdate;
import org.eclipse.jgit.lib.NullProgressMonitor;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.Ref;
import org.eclipse.jgit.lib.RefUpdate;
import org.eclipse.jgit.lib.Repository;
import org.eclipse.jgit.revwalk.RevWalk;
import org.eclipse.jgit.transport.ReceiveCommand;
import org.jgits3.Purpose;
import org.jgits3.S3Repository;
import org.jgits3.S3RepositoryManager;
import org.jgits3.manifest.UnknownOutcomeException;
import org.jgits3.stress.torture.Clerk.Change;
import org.jgits3.stress.torture.Clerk.Outcome;

/**
 * Look-ups and changes of refs by one thread through the library, each written down. Changes expect
 * values that were looked up before, and now and then wrong ones.
 */
final class RefWork {
  private final S3RepositoryManager manager;
  private final Clerk clerk;
  private final RandomGenerator random;
  private final Commits commits;

  RefWork(S3RepositoryManager manager, Clerk clerk, RandomGenerator random) {
    this.manager = manager;
    this.clerk = clerk;
    this.random = random;
    this.commits = new Commits(random);
  }

  /**
   * Looks refs up, and mostly changes some.
   *
   * @throws IOException if the repository cannot be opened or read now; what was begun is written
   *     down
   */
  void step(String repository) throws IOException {
    long began = System.nanoTime();
    try (S3Repository handle =
        random.nextBoolean()
            ? manager.openRepository(repository)
            : manager.openRepository(repository, Purpose.request())) {
      Family family = Family.now(handle.manifest().repositoryId(), random);
      Map<String, String> values = read(handle, family, began);
      if (random.nextInt(5) == 0) {
        checkObjects(repository, handle, family, values);
      }
      int kind = random.nextInt(12);
      switch (kind) {
        case 0, 1, 2, 3 -> update(handle, family, values);
        case 4 -> delete(handle, family, values);
        case 5, 6 -> batch(handle, family, values);
        case 7 -> exchange(handle, family, values);
        case 8 -> link(handle, family, values);
        case 9 -> throughLink(handle, family, values);
        default -> {
          // only looked up
        }
      }
    }
  }

  private Map<String, String> read(S3Repository handle, Family family, long began)
      throws IOException {
    Map<String, String> values = new TreeMap<>();
    switch (random.nextInt(3)) {
      case 0 -> {
        Map<String, Ref> found =
            handle
                .getRefDatabase()
                .exactRef(Family.NAMES.stream().map(family::ref).toArray(String[]::new));
        Family.NAMES.forEach(n -> values.put(n, value(family, found.get(family.ref(n)))));
      }
      case 1 -> {
        Family.NAMES.forEach(name -> values.put(name, Clerk.MISSING));
        values.remove(Family.LINK); // a listing leaves it out if its target is missing
        for (Ref ref : handle.getRefDatabase().getRefsByPrefix(family.prefix())) {
          values.put(ref.getName().substring(family.prefix().length()), value(family, ref));
        }
      }
      default -> {
        String name = Family.NAMES.get(random.nextInt(Family.NAMES.size()));
        values.put(name, value(family, handle.exactRef(family.ref(name))));
      }
    }
    clerk.read(began, family.group(), values);
    boolean parent = exists(values, Family.PARENT);
    boolean child = values.keySet().stream().anyMatch(n -> n.contains("/") && exists(values, n));
    if (parent && child) {
      clerk.found("anomaly: a ref and refs below it in " + family.group() + ": " + values);
    }
    return values;
  }

  private static boolean exists(Map<String, String> values, String name) {
    return !values.getOrDefault(name, Clerk.MISSING).equals(Clerk.MISSING);
  }

  /** Value of a ref in the history: its object, or of a symbolic ref its target. */
  static String value(Family family, Ref ref) {
    if (ref == null) {
      return Clerk.MISSING;
    }
    return ref.isSymbolic()
        ? "@" + ref.getTarget().getName().substring(family.prefix().length())
        : ref.getObjectId().name();
  }

  private void checkObjects(
      String repository, S3Repository handle, Family family, Map<String, String> values)
      throws IOException {
    for (var each : values.entrySet()) {
      if (ObjectId.isId(each.getValue())) {
        checkObject(repository, handle, family.ref(each.getKey()), each.getValue());
      }
    }
  }

  private void checkObject(String repository, S3Repository handle, String ref, String value)
      throws IOException {
    ObjectId id = ObjectId.fromString(value);
    try {
      Commits.check(handle, id);
      clerk.did("check", "ok");
    } catch (MissingObjectException e) {
      if (isStill(repository, handle, ref, id)) {
        clerk.found("lost: " + ref + " leads to a missing object: " + e.getMessage());
      }
    } catch (IllegalStateException e) {
      clerk.found("lost: " + ref + ": " + e.getMessage());
    }
  }

  /** Tests whether an object is missing through a fresh handle though its ref is there. */
  private boolean isStill(String repository, S3Repository before, String ref, ObjectId id)
      throws IOException {
    try (S3Repository handle = manager.openRepository(repository)) {
      handle.scanForRepoChanges();
      Ref now = handle.exactRef(ref);
      boolean same =
          handle.manifest().repositoryId().equals(before.manifest().repositoryId())
              && now != null
              && id.equals(now.getObjectId());
      if (same) {
        Commits.check(handle, id);
      }
      return false;
    } catch (MissingObjectException e) {
      return true;
    }
  }

  private static String pick(RandomGenerator random, List<String> names) {
    return names.get(random.nextInt(names.size()));
  }

  private String expected(Map<String, String> values, String name) {
    boolean wrong = random.nextInt(20) == 0;
    return wrong ? Clerk.MISSING : values.getOrDefault(name, Clerk.MISSING);
  }

  private ObjectId fresh(S3Repository handle, Family family) throws IOException {
    return commits.next(handle, family.repositoryId());
  }

  private void update(S3Repository handle, Family family, Map<String, String> values)
      throws IOException {
    String name = pick(random, List.of("a", "b", "c", Family.PARENT, "d/x", "d/y"));
    String old = expected(values, name);
    ObjectId id = fresh(handle, family);
    RefUpdate update = handle.updateRef(family.ref(name));
    update.setExpectedOldObjectId(objectId(old));
    update.setNewObjectId(id);
    update.setForceUpdate(true);
    List<Change> changes = List.of(new Change(name, old, id.name()));
    attempt(family, changes, () -> outcome(update.update()));
  }

  private void delete(S3Repository handle, Family family, Map<String, String> values)
      throws IOException {
    String name = pick(random, List.of("a", "b", "c", Family.PARENT, "d/x", "d/y"));
    String old = expected(values, name);
    if (old.equals(Clerk.MISSING)) {
      return;
    }
    RefUpdate update = handle.updateRef(family.ref(name));
    update.setExpectedOldObjectId(objectId(old));
    update.setForceUpdate(true);
    List<Change> changes = List.of(new Change(name, old, Clerk.MISSING));
    attempt(family, changes, () -> outcome(update.delete()));
  }

  private void batch(S3Repository handle, Family family, Map<String, String> values)
      throws IOException {
    List<Change> changes = new ArrayList<>();
    for (String name : List.of("a", "b", "c")) {
      String old = expected(values, name);
      boolean deletes = random.nextInt(4) == 0;
      if (!deletes || !old.equals(Clerk.MISSING)) {
        String now = deletes ? Clerk.MISSING : fresh(handle, family).name();
        changes.add(new Change(name, old, now));
      }
    }
    execute(handle, family, changes);
  }

  /** Turns a ref into a directory of refs, or back. */
  private void exchange(S3Repository handle, Family family, Map<String, String> values)
      throws IOException {
    List<Change> changes = new ArrayList<>();
    boolean parent = exists(values, Family.PARENT);
    for (String name : List.of(Family.PARENT, "d/x", "d/y")) {
      boolean was = exists(values, name);
      boolean is = name.equals(Family.PARENT) != parent;
      if (was != is) {
        String now = is ? fresh(handle, family).name() : Clerk.MISSING;
        changes.add(new Change(name, values.getOrDefault(name, Clerk.MISSING), now));
      }
    }
    execute(handle, family, changes);
  }

  /** Lets the symbolic ref lead elsewhere, or deletes it. */
  private void link(S3Repository handle, Family family, Map<String, String> values)
      throws IOException {
    String old = expected(values, Family.LINK);
    boolean deletes = random.nextInt(4) == 0 && !old.equals(Clerk.MISSING);
    String now = deletes ? Clerk.MISSING : "@" + pick(random, List.of("a", "b", "c"));
    if (!now.equals(old)) {
      execute(handle, family, List.of(new Change(Family.LINK, old, now)));
    }
  }

  /** Changes the ref that the symbolic one leads to, by the name of the symbolic one. */
  private void throughLink(S3Repository handle, Family family, Map<String, String> values)
      throws IOException {
    String link = values.getOrDefault(Family.LINK, Clerk.MISSING);
    String leaf = link.substring(1);
    if (!link.startsWith("@") || !exists(values, leaf)) {
      return;
    }
    ObjectId id = fresh(handle, family);
    RefUpdate update = handle.updateRef(family.ref(Family.LINK));
    update.setExpectedOldObjectId(objectId(values.get(leaf)));
    update.setNewObjectId(id);
    update.setForceUpdate(true);
    List<Change> changes =
        List.of(new Change(Family.LINK, link, link), new Change(leaf, values.get(leaf), id.name()));
    attempt(family, changes, () -> outcome(update.update()));
  }

  /**
   * Inserts a commit on top of one that is being pushed, and sets a ref of the same family to it.
   */
  void onTopOf(Repository handle, ReceiveCommand command) throws IOException {
    String repositoryId = ((S3Repository) handle).manifest().repositoryId();
    Optional<Family> family = Family.ofRef(repositoryId, command.getRefName());
    if (family.isEmpty()) {
      return;
    }
    Commits.check(handle, command.getNewId());
    ObjectId id = commits.onTopOf(handle, command.getNewId());
    RefUpdate update = handle.updateRef(family.get().ref("h-" + id.abbreviate(12).name()));
    update.setExpectedOldObjectId(ObjectId.zeroId());
    update.setNewObjectId(id);
    String name = update.getName().substring(family.get().prefix().length());
    List<Change> changes = List.of(new Change(name, Clerk.MISSING, id.name()));
    attempt(family.get(), changes, () -> outcome(update.update()));
  }

  private static ObjectId objectId(String value) {
    return value.equals(Clerk.MISSING) ? ObjectId.zeroId() : ObjectId.fromString(value);
  }

  private void execute(S3Repository handle, Family family, List<Change> changes)
      throws IOException {
    if (changes.isEmpty()) {
      return;
    }
    List<ReceiveCommand> commands = changes.stream().map(c -> command(family, c)).toList();
    BatchRefUpdate batch = handle.getRefDatabase().newBatchUpdate();
    batch.setAtomic(true);
    batch.setAllowNonFastForwards(true);
    batch.addCommand(commands);
    attempt(
        family,
        changes,
        () -> {
          try (RevWalk walk = new RevWalk(handle)) {
            batch.execute(walk, NullProgressMonitor.INSTANCE);
          }
          return outcome(family, commands);
        });
  }

  private static ReceiveCommand command(Family family, Change change) {
    String name = family.ref(change.name());
    boolean linked = change.old().startsWith("@");
    boolean links = change.now().startsWith("@");
    if (links && linked) {
      return ReceiveCommand.link(target(family, change.old()), target(family, change.now()), name);
    }
    if (links) {
      return ReceiveCommand.link(objectId(change.old()), target(family, change.now()), name);
    }
    if (linked) {
      return ReceiveCommand.unlink(target(family, change.old()), objectId(change.now()), name);
    }
    return new ReceiveCommand(objectId(change.old()), objectId(change.now()), name);
  }

  private static String target(Family family, String value) {
    return family.ref(value.substring(1));
  }

  private Outcome outcome(Family family, List<ReceiveCommand> commands) throws IOException {
    long done = commands.stream().filter(c -> c.getResult() == ReceiveCommand.Result.OK).count();
    if (done == commands.size()) {
      return Outcome.OK;
    }
    if (done > 0) {
      clerk.found("anomaly: a part of an atomic batch in " + family.group() + ": " + commands);
    }
    boolean unknown =
        commands.stream()
            .anyMatch(c -> c.getMessage() != null && c.getMessage().contains("outcome unknown"));
    return unknown ? Outcome.UNKNOWN : Outcome.REFUSED;
  }

  private static Outcome outcome(RefUpdate.Result result) {
    return switch (result) {
      case NEW, FORCED, FAST_FORWARD -> Outcome.OK;
      default -> Outcome.REFUSED;
    };
  }

  /** A change of refs as the library is asked for it. */
  private interface Attempt {
    Outcome make() throws IOException;
  }

  private void attempt(Family family, List<Change> changes, Attempt attempt) throws IOException {
    String id = clerk.beginWrite(family.group(), changes);
    Outcome outcome;
    try {
      outcome = attempt.make();
    } catch (UnknownOutcomeException e) {
      outcome = Outcome.UNKNOWN;
    } catch (IOException e) {
      clerk.did("refused", e.toString());
      outcome = Outcome.REFUSED;
    }
    clerk.endWrite(id, outcome);
    if (outcome == Outcome.OK) {
      for (Change change : changes) {
        if (ObjectId.isId(change.now())) {
          clerk.acknowledged(family.repositoryId(), change.now());
        }
      }
    }
  }
}
