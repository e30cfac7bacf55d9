// SPDX-License-Identifier: Apache-2.0
package org.jgits3.simulation.world;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.eclipse.jgit.annotations.Nullable;
import org.eclipse.jgit.errors.RepositoryNotFoundException;
import org.jgits3.internal.function.IoSupplier;
import org.jgits3.manifest.Manifest;
import org.jgits3.manifest.ManifestException;
import org.jgits3.manifest.NamePointer;
import org.jgits3.manifest.RepositoryName;
import org.jgits3.manifest.RepositoryState;
import org.jgits3.manifest.UnknownOutcomeException;
import org.jgits3.simulation.Here;

/**
 * Pointers and manifests of a store as they are now, and the operations that change names. Judges
 * each write by the invariants of the names RFC:
 *
 * <ul>
 *   <li>each repository that says a name has it: the pointer of the name leads to it (1 to 3);
 *   <li>a deleted repository stays deleted (4);
 *   <li>an operation changes one name, which it was asked to change, and nothing after its end; one
 *       that was refused changes none (5, 7).
 * </ul>
 */
final class Names {
  private final History history;

  /** Newest manifests by id. */
  private final SortedMap<String, Manifest> manifests = new TreeMap<>();

  /** Ids that pointers lead to, by name. */
  private final Map<String, String> pointers = new HashMap<>();

  /** Operations by the strands that run them. */
  private final Map<Object, Operation> running = new HashMap<>();

  /** Forks that were acknowledged. */
  private final Set<String> acknowledged = new HashSet<>();

  /** Kind of an operation. */
  enum Kind {
    CREATE,
    FORK,
    /** Gives a name to the repository of an import. */
    PUBLISH,
    /** Makes a repository without a name, and gives it the name or deletes it. */
    IMPORT,
    RENAME,
    DELETE,
    /** Deletes a repository without a name. */
    DISCARD
  }

  /** What a client was told. */
  enum Report {
    RUNNING,
    OK,
    TAKEN,
    GONE,
    NOT_WRITTEN,
    UNKNOWN
  }

  /** An operation that changes a name. */
  static final class Operation {
    private final Kind kind;
    private final Optional<String> from;
    private final String to;
    private final int began;
    private final List<Manifest> made = new ArrayList<>();
    private Report report = Report.RUNNING;

    private Operation(Kind kind, Optional<String> from, String to, int began) {
      this.kind = kind;
      this.from = from;
      this.to = to;
      this.began = began;
    }

    @Override
    public String toString() {
      return kind + from.map(name -> " " + name).orElse("") + " " + to + " " + report;
    }
  }

  Names(History history) {
    this.history = history;
  }

  /** Ids of all repositories, deleted ones included. */
  List<String> ids() {
    return List.copyOf(manifests.keySet());
  }

  /** The newest manifest of a repository. */
  @Nullable
  Manifest manifest(@Nullable String id) {
    return id == null ? null : manifests.get(id);
  }

  /** The repository that a name stands for; null if there is none. */
  @Nullable
  String holder(String name) {
    String id = pointers.get(name);
    return id != null && says(id, name) ? id : null;
  }

  private boolean says(String id, String name) {
    Manifest manifest = manifests.get(id);
    return manifest != null && name(manifest).equals(Optional.of(name));
  }

  static Optional<String> name(Manifest manifest) {
    return manifest.name().map(RepositoryName::value);
  }

  /** Tests whether each object that a manifest lists has to exist. */
  boolean isWhole(Manifest manifest) {
    return !manifest.isFork() || acknowledged.contains(manifest.repositoryId());
  }

  /** The operation that the current strand does; null for none. */
  @Nullable
  Operation current() {
    return running.get(Here.strand());
  }

  /**
   * Does an operation on a name and judges its report.
   *
   * @param from name that the repository has, or its id; empty for a new one
   * @param to name that it is to have; the name that it is to lose
   * @param work does it, and returns the id of the repository; null if that is not known
   */
  Report run(Kind kind, Optional<String> from, String to, IoSupplier<String> work) {
    Operation operation = new Operation(kind, from, to, history.now());
    running.put(Here.strand(), operation);
    history.trace(() -> "begin " + operation);
    String id = null;
    try {
      id = work.get();
      operation.report = Report.OK;
    } catch (UnknownOutcomeException e) {
      operation.report = Report.UNKNOWN;
    } catch (ManifestException.Exists e) {
      operation.report = Report.TAKEN;
    } catch (ManifestException.Gone | RepositoryNotFoundException e) {
      operation.report = Report.GONE;
    } catch (IOException e) {
      history.trace(e::toString);
      operation.report = Report.NOT_WRITTEN;
    }
    running.remove(Here.strand());
    history.now();
    history.trace(() -> "end " + operation);
    judge(operation, id);
    return operation.report;
  }

  private void judge(Operation operation, @Nullable String id) {
    switch (operation.report) {
      case OK -> {
        check(operation.made.size() == 1, operation, "is reported as a success and did not happen");
        String made = operation.made.get(0).repositoryId();
        check(id == null || id.equals(made), operation, "happened to another repository");
        if (operation.kind == Kind.FORK) {
          acknowledged.add(made);
          history.checkWhole(manifests.get(made));
        }
      }
      case TAKEN -> {
        checkNotMade(operation);
        checkWas(operation, operation.to, holder -> holder != null, "was refused a free name");
      }
      case GONE -> gone(operation);
      case UNKNOWN ->
          check(
              history.doubts() || operation.kind == Kind.FORK, // others may have changed it
              operation,
              "is unknown though all requests were answered");
      default -> checkNotMade(operation);
    }
  }

  private void gone(Operation operation) {
    switch (operation.kind) {
      case CREATE, FORK -> {
        for (Manifest made : operation.made) {
          Manifest now = manifests.get(made.repositoryId());
          boolean lives = now.name().map(RepositoryName::value).equals(Optional.of(operation.to));
          check(!lives, operation, "is reported as deleted or renamed, and is there");
        }
      }
      case IMPORT -> checkNotMade(operation);
      case PUBLISH, DISCARD -> {
        checkNotMade(operation);
        Manifest now = manifests.get(operation.from.orElseThrow());
        boolean importing = now.state() instanceof RepositoryState.Importing;
        check(!importing, operation, "is reported as gone, and is there");
      }
      default -> {
        checkNotMade(operation);
        String name = operation.kind == Kind.DELETE ? operation.to : operation.from.orElseThrow();
        checkWas(operation, name, holder -> holder == null, "did not find a repository");
      }
    }
  }

  private static void checkNotMade(Operation operation) {
    boolean none =
        operation.made.stream()
            .allMatch(made -> operation.kind == Kind.IMPORT && !made.holdsRepository());
    check(none, operation, "is reported as not done and happened");
  }

  private void checkWas(
      Operation operation, String name, Predicate<String> holder, String failure) {
    check(history.held(name, operation.began, holder), operation, failure);
  }

  private static void check(boolean holds, Operation operation, String failure) {
    check(holds, () -> operation + ": " + failure);
  }

  private static void check(boolean holds, Supplier<String> failure) {
    if (!holds) {
      throw new AssertionError(failure.get());
    }
  }

  /** Takes a pointer that was written. */
  void written(String name, NamePointer pointer) {
    pointers.remove(name);
    pointer.target().ifPresent(target -> pointers.put(name, target.repositoryId()));
    checkNames();
  }

  /** Takes a pointer that was removed. */
  void removed(String name) {
    pointers.remove(name);
    checkNames();
  }

  /**
   * Takes a manifest that was written.
   *
   * @param by operation of the strand that has sent it; null for none
   */
  void written(Manifest manifest, @Nullable Operation by) {
    Manifest before = manifests.put(manifest.repositoryId(), manifest);
    if (before != null) {
      checkNext(before, manifest);
    }
    boolean importing = manifest.state() instanceof RepositoryState.Importing;
    boolean fence = before == null && !manifest.holdsRepository();
    boolean bound =
        before == null
            || !name(before).equals(name(manifest))
            || before.holdsRepository() != manifest.holdsRepository();
    if (bound && !importing && !fence && by != null) {
      made(by, before, manifest);
    }
    checkNames();
  }

  private static void checkNext(Manifest before, Manifest after) {
    boolean same = name(before).equals(name(after));
    check(before.holdsRepository(), () -> "a deleted repository is changed: " + after);
    check(after.generation() == before.generation() + 1, () -> "a generation is missing: " + after);
    check(
        after.epoch() == before.epoch() + 1 || (same && after.epoch() == before.epoch()),
        () -> "epoch " + after.epoch() + " comes after " + before.epoch());
  }

  private static void made(Operation by, @Nullable Manifest before, Manifest after) {
    check(by.report == Report.RUNNING || by.report == Report.UNKNOWN, by, "happened after its end");
    by.made.add(after);
    check(by.made.size() == 1 || by.kind == Kind.FORK, by, "happened twice");
    Optional<String> had = before == null ? Optional.empty() : name(before);
    boolean asked =
        switch (by.kind) {
          case CREATE -> before == null && name(after).equals(Optional.of(by.to));
          case FORK ->
              before == null ? name(after).equals(Optional.of(by.to)) : !after.holdsRepository();
          case PUBLISH -> had.isEmpty() && name(after).equals(Optional.of(by.to));
          case IMPORT -> had.isEmpty() && name(after).orElse(by.to).equals(by.to);
          case RENAME -> had.equals(by.from) && name(after).equals(Optional.of(by.to));
          case DELETE -> had.equals(Optional.of(by.to)) && !after.holdsRepository();
          case DISCARD -> had.isEmpty() && !after.holdsRepository();
        };
    check(asked, by, "changes the repository of " + had + " to " + after.state());
  }

  /** Checks that the pointer of each name that a repository says leads to the repository. */
  private void checkNames() {
    manifests.forEach(
        (id, manifest) ->
            name(manifest)
                .ifPresent(
                    name ->
                        check(
                            id.equals(pointers.get(name)),
                            () ->
                                "the repository "
                                    + id
                                    + " says "
                                    + name
                                    + ", whose pointer leads to "
                                    + pointers.get(name))));
  }

  /**
   * Checks, while nothing else runs and each request is answered, that each free name can be taken,
   * and that no other can.
   *
   * @param names the names
   * @param create creates a repository, and returns its id
   * @param rename renames one
   */
  void checkAlone(List<String> names, Creation create, Renaming rename) {
    for (String name : names) {
      boolean free = holder(name) == null;
      String spare = "spare/" + name;
      if (free) {
        expect(Report.OK, run(Kind.CREATE, Optional.empty(), spare, () -> create.of(spare)), spare);
        Report renamed = run(Kind.RENAME, Optional.of(spare), name, () -> rename.of(spare, name));
        expect(Report.OK, renamed, spare + " to " + name);
      }
      expect(Report.TAKEN, run(Kind.CREATE, Optional.empty(), name, () -> create.of(name)), name);
    }
  }

  private static void expect(Report wanted, Report report, String what) {
    check(report == wanted, () -> what + ": is alone and is told " + report);
  }

  /** Creates a repository of a name. */
  @FunctionalInterface
  interface Creation {
    String of(String name) throws IOException;
  }

  /** Renames a repository. */
  @FunctionalInterface
  interface Renaming {
    String of(String from, String to) throws IOException;
  }
}
