// SPDX-License-Identifier: Apache-2.0
package org.jgits3.stress.torture;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.random.RandomGenerator;
import org.eclipse.jgit.api.Git;
import org.eclipse.jgit.api.errors.GitAPIException;
import org.eclipse.jgit.api.errors.JGitInternalException;
import org.eclipse.jgit.lib.NullProgressMonitor;
import org.eclipse.jgit.lib.ObjectId;
import org.jgits3.Purpose;
import org.jgits3.S3Repository;
import org.jgits3.S3RepositoryManager;
import org.jgits3.history.RefRestoration;
import org.jgits3.manifest.RefChange;
import org.jgits3.manifest.UnknownOutcomeException;
import org.jgits3.stress.torture.Clerk.Change;
import org.jgits3.stress.torture.Clerk.Outcome;

/**
 * Maintenance of shared repositories by one thread: compactions, collections, sweeps without grace
 * and with one that only some clocks have passed, listings, refs put back to an earlier generation,
 * and repositories restored.
 */
final class Upkeep {
  private static final int GENERATIONS = 30;

  /** A grace period that is over for some clocks and has not begun for others. */
  private static final Duration BETWEEN_CLOCKS = Duration.ofHours(3);

  private final S3RepositoryManager manager;
  private final Clerk clerk;
  private final RandomGenerator random;
  private final Restores restores;

  /**
   * A thread's work.
   *
   * @param spare name of a repository that this thread alone restores to
   */
  Upkeep(S3RepositoryManager manager, Clerk clerk, RandomGenerator random, String spare) {
    this.manager = manager;
    this.clerk = clerk;
    this.random = random;
    this.restores = new Restores(manager, clerk, random, spare);
  }

  /** An operation on a repository. */
  private interface Operation {
    String run(String repository) throws IOException;
  }

  /** Does something that takes a moment. */
  void step(String repository) throws IOException {
    switch (random.nextInt(6)) {
      case 0 -> attempt("compact", repository, this::compact);
      case 1, 2 -> attempt("sweep", repository, this::sweep);
      case 3 -> attempt("list", repository, name -> "ok " + manager.list().size());
      case 4 -> attempt("restore", repository, restores::restore);
      default -> attempt("restore-refs", repository, this::restoreRefs);
    }
  }

  /** Collects garbage, which may wait for another process. */
  void collect(String repository) throws IOException {
    if (random.nextBoolean()) {
      attempt("gc", repository, this::collectGarbage);
    } else {
      attempt("jgit-gc", repository, this::collectByJGit);
    }
  }

  private void attempt(String title, String repository, Operation operation) throws IOException {
    String result;
    try {
      result = operation.run(repository);
    } catch (IOException e) {
      result = e.toString();
    }
    clerk.did(title, result);
  }

  private String compact(String repository) throws IOException {
    return manager.maintenance(repository).compact() ? "ok" : "nothing";
  }

  private String sweep(String repository) throws IOException {
    boolean dryRun = random.nextInt(5) == 0;
    Duration grace = random.nextBoolean() ? Duration.ZERO : BETWEEN_CLOCKS;
    return "ok " + manager.sweep(repository, grace, dryRun);
  }

  private String collectGarbage(String repository) throws IOException {
    return "ok " + manager.maintenance(repository).collectGarbage(NullProgressMonitor.INSTANCE);
  }

  private String collectByJGit(String repository) throws IOException {
    try (S3Repository handle = manager.openRepository(repository)) {
      return "ok " + Git.wrap(handle).gc().call();
    } catch (GitAPIException | JGitInternalException e) {
      throw new IOException(e.toString(), e);
    }
  }

  private String restoreRefs(String repository) throws IOException {
    try (S3Repository handle = manager.openRepository(repository, Purpose.request())) {
      String repositoryId = handle.manifest().repositoryId();
      long generation = handle.manifest().generation() - 1 - random.nextInt(GENERATIONS);
      if (generation < 1) {
        return "too young";
      }
      RefRestoration restoration = handle.history().restoration(generation);
      if (restoration.changes().isEmpty() || !restoration.missing().isEmpty()) {
        return "nothing";
      }
      Map<String, String> begun = new TreeMap<>();
      Map<String, List<Change>> changes = changes(repositoryId, restoration.changes());
      for (var each : changes.entrySet()) {
        begun.put(each.getKey(), clerk.beginWrite(each.getKey(), each.getValue()));
      }
      Outcome outcome = outcome(restoration);
      for (String id : begun.values()) {
        clerk.endWrite(id, outcome);
      }
      return outcome.toString();
    }
  }

  private static Map<String, List<Change>> changes(String repositoryId, List<RefChange> all) {
    Map<String, List<Change>> changes = new TreeMap<>();
    for (RefChange change : all) {
      Optional<Family> family = Family.ofRef(repositoryId, change.ref());
      family.ifPresent(
          f -> changes.computeIfAbsent(f.group(), g -> new ArrayList<>()).add(change(f, change)));
    }
    return changes;
  }

  private static Change change(Family family, RefChange change) {
    return new Change(
        change.ref().substring(family.prefix().length()),
        value(family, change.oldTarget(), change.oldId()),
        value(family, change.newTarget(), change.newId()));
  }

  private static String value(Family family, Optional<String> target, ObjectId id) {
    if (target.isPresent()) {
      return "@" + target.get().substring(family.prefix().length());
    }
    return id.equals(ObjectId.zeroId()) ? Clerk.MISSING : id.name();
  }

  private static Outcome outcome(RefRestoration restoration) {
    try {
      restoration.apply();
      return Outcome.OK;
    } catch (UnknownOutcomeException e) {
      return Outcome.UNKNOWN;
    } catch (IOException e) {
      return Outcome.REFUSED;
    }
  }
}
