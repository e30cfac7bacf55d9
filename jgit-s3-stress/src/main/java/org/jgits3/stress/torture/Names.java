// SPDX-License-Identifier: Apache-2.0
package org.jgits3.stress.torture;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.random.RandomGenerator;
import org.eclipse.jgit.errors.RepositoryNotFoundException;
import org.eclipse.jgit.lib.NullProgressMonitor;
import org.jgits3.Purpose;
import org.jgits3.S3Repository;
import org.jgits3.S3RepositoryManager;
import org.jgits3.manifest.Manifest;
import org.jgits3.manifest.ManifestException;
import org.jgits3.manifest.RepositoryName;
import org.jgits3.stress.torture.Clerk.Change;
import org.jgits3.stress.torture.Clerk.Outcome;
import org.jgits3.transfer.ImportSource;
import org.jgits3.transfer.Importer;

/**
 * Creates, forks, imports, renames, deletes and looks up repositories under a few shared names, by
 * one thread. In the history the names are refs of one group, and the ids of repositories their
 * values.
 */
final class Names {
  /** Tags of the source of imports. */
  static final int TAGS = 20;

  /** Group of the names in the history. */
  static final String GROUP = "names";

  /** Name of the template of forks, which stays. */
  static final String TEMPLATE = "template";

  private final S3RepositoryManager manager;
  private final Clerk clerk;
  private final RandomGenerator random;
  private final List<String> names;
  private final String source;

  /**
   * A thread's work.
   *
   * @param manager manager whose store is one of {@link WatchedManifests}
   * @param names the names
   * @param source repository on disk that is imported
   */
  Names(
      S3RepositoryManager manager,
      Clerk clerk,
      RandomGenerator random,
      List<String> names,
      String source) {
    this.manager = manager;
    this.clerk = clerk;
    this.random = random;
    this.names = List.copyOf(names);
    this.source = source;
  }

  void step() throws IOException {
    String name = name();
    switch (random.nextInt(15)) {
      case 0, 1, 2 -> new Creation(name).attempt();
      case 10 -> new Fork(name).attempt();
      case 3, 4 -> new Rename(name, name()).attempt();
      case 5 -> new Deletion(name).attempt();
      case 6, 7 -> new Import(name).attempt();
      case 8, 9 -> list();
      default -> clerk.did("look up", lookUp(manager, clerk, name));
    }
  }

  private String name() {
    return names.get(random.nextInt(names.size()));
  }

  /**
   * Looks up the repository of a name.
   *
   * @return its id, or that there is none
   * @throws IOException if that is not known now
   */
  static String lookUp(S3RepositoryManager manager, Clerk clerk, String name) throws IOException {
    long began = System.nanoTime();
    String value;
    try (S3Repository found = manager.openRepository(name, Purpose.request())) {
      value = found.manifest().repositoryId();
    } catch (RepositoryNotFoundException none) {
      value = Clerk.MISSING;
    }
    clerk.read(began, GROUP, Map.of(name, value));
    return value;
  }

  /** A name that is not listed stands for none; one that is may be dead. */
  private void list() throws IOException {
    long began = System.nanoTime();
    Set<String> listed = manager.list();
    for (String name : names) {
      if (!listed.contains(name)) {
        clerk.read(began, GROUP, Map.of(name, Clerk.MISSING));
      }
    }
    clerk.did("list names", "ok " + listed.size());
  }

  /** A change of names, in the history from the first write on that may make it. */
  private abstract class NameChange {
    private Optional<String> id = Optional.empty();
    private List<Change> begun = List.of();

    /** Changes that the write of a manifest makes; none if it makes none of this kind. */
    abstract List<Change> changes(Manifest written);

    abstract void make() throws IOException;

    /** Outcome that an exception tells. */
    abstract Outcome outcome(IOException failure);

    final void attempt() throws IOException {
      long began = System.nanoTime();
      String result = "ok";
      Outcome outcome = Outcome.OK;
      WatchedManifests.watch(Optional.of(manifest -> begin(began, manifest)));
      try {
        make();
      } catch (IOException e) {
        outcome = outcome(e);
        result = e.toString();
      } finally {
        WatchedManifests.watch(Optional.empty());
      }
      if (id.isPresent()) {
        clerk.endWrite(id.get(), outcome);
      }
      clerk.did(getClass().getSimpleName(), result);
    }

    /** Begins anew if the change is tried with another repository: that of before is refused. */
    private void begin(long began, Manifest written) throws IOException {
      List<Change> changes = changes(written);
      if (changes.isEmpty() || changes.equals(begun)) {
        return;
      }
      if (id.isPresent()) {
        clerk.endWrite(id.get(), Outcome.REFUSED);
      }
      begun = changes;
      id = Optional.of(clerk.beginWrite(began, GROUP, changes));
    }
  }

  private static boolean says(Manifest manifest, String name) {
    return manifest.name().map(RepositoryName::value).equals(Optional.of(name));
  }

  private static Change begins(String name, Manifest manifest) {
    return new Change(name, Clerk.MISSING, manifest.repositoryId());
  }

  private static Change ends(String name, Manifest manifest) {
    return new Change(name, manifest.repositoryId(), Clerk.MISSING);
  }

  private class Creation extends NameChange {
    final String name;

    Creation(String name) {
      this.name = name;
    }

    @Override
    List<Change> changes(Manifest written) {
      return says(written, name) ? List.of(begins(name, written)) : List.of();
    }

    @Override
    void make() throws IOException {
      manager.createRepository(name).close();
    }

    @Override
    Outcome outcome(IOException failure) {
      if (failure instanceof ManifestException.Gone) {
        return Outcome.OK; // and another process has changed it at once
      }
      return failure instanceof ManifestException.Exists
              || failure instanceof ManifestException.NotCommitted
          ? Outcome.REFUSED
          : Outcome.UNKNOWN;
    }
  }

  /** A fork of a template that no process deletes. */
  private final class Fork extends Creation {
    Fork(String name) {
      super(name);
    }

    @Override
    void make() throws IOException {
      manager.fork(TEMPLATE, name).close();
    }
  }

  private final class Deletion extends NameChange {
    private final String name;

    Deletion(String name) {
      this.name = name;
    }

    @Override
    List<Change> changes(Manifest written) {
      return written.holdsRepository() ? List.of() : List.of(ends(name, written));
    }

    @Override
    void make() throws IOException {
      manager.delete(name);
    }

    @Override
    Outcome outcome(IOException failure) {
      return failure instanceof ManifestException.Gone
              || failure instanceof ManifestException.NotCommitted
          ? Outcome.REFUSED
          : Outcome.UNKNOWN;
    }
  }

  private final class Rename extends NameChange {
    private final String from;
    private final String to;

    Rename(String from, String to) {
      this.from = from;
      this.to = to;
    }

    @Override
    List<Change> changes(Manifest written) {
      return says(written, to) ? List.of(ends(from, written), begins(to, written)) : List.of();
    }

    @Override
    void make() throws IOException {
      manager.rename(from, to);
    }

    @Override
    Outcome outcome(IOException failure) {
      return failure instanceof ManifestException.Gone
              || failure instanceof ManifestException.Exists
              || failure instanceof ManifestException.NotCommitted
          ? Outcome.REFUSED
          : Outcome.UNKNOWN;
    }
  }

  private final class Import extends NameChange {
    private final String name;

    Import(String name) {
      this.name = name;
    }

    @Override
    List<Change> changes(Manifest written) {
      return says(written, name) ? List.of(begins(name, written)) : List.of();
    }

    @Override
    void make() throws IOException {
      try (ImportSource from = ImportSource.open(source)) {
        new Importer(manager, NullProgressMonitor.INSTANCE).run(from, RepositoryName.of(name));
      }
      checkTags();
    }

    private void checkTags() throws IOException {
      try (S3Repository imported = manager.openRepository(name, Purpose.request())) {
        int tags = imported.getRefDatabase().getRefsByPrefix("refs/tags/").size();
        if (tags != TAGS && tags != 0) {
          clerk.found("lost: an import has " + tags + " of " + TAGS + " tags");
        }
      } catch (IOException e) {
        clerk.did("failed", e.toString()); // which says nothing of the import
      }
    }

    @Override
    Outcome outcome(IOException failure) {
      return failure instanceof ManifestException.Exists ? Outcome.REFUSED : Outcome.UNKNOWN;
    }
  }
}
