// SPDX-License-Identifier: Apache-2.0
package org.jgits3.transfer;

import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import org.eclipse.jgit.errors.ConfigInvalidException;
import org.eclipse.jgit.errors.RepositoryNotFoundException;
import org.eclipse.jgit.internal.JGitText;
import org.eclipse.jgit.lib.Constants;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.ProgressMonitor;
import org.eclipse.jgit.lib.RefUpdate;
import org.eclipse.jgit.lib.StoredConfig;
import org.eclipse.jgit.revwalk.RevWalk;
import org.jgits3.Purpose;
import org.jgits3.S3Repository;
import org.jgits3.S3RepositoryManager;
import org.jgits3.internal.refs.S3RefDatabase;
import org.jgits3.internal.refs.snapshot.RefView;
import org.jgits3.internal.refs.table.PackedRefsTable;
import org.jgits3.internal.refs.table.RefFold;
import org.jgits3.internal.refs.table.SnapshotMerge;
import org.jgits3.internal.refs.transaction.InitialRefs;
import org.jgits3.manifest.ManifestException;
import org.jgits3.manifest.PackEntry;
import org.jgits3.manifest.RefValue;
import org.jgits3.manifest.RepositoryName;

/**
 * Imports a repository: objects, all refs with {@code HEAD} and other symbolic ones, description,
 * and the part of the configuration that belongs to the repository. Does not import reflogs, and
 * refuses a shallow repository.
 *
 * <p>An import fills a repository without a name, and gives it the name when it is complete. Of
 * concurrent imports of one name, one gets it; the others delete what they have made. A sweep
 * deletes what a killed one has left. Used by one thread.
 */
public final class Importer {
  private final S3RepositoryManager manager;
  private final ProgressMonitor monitor;

  /**
   * Creates an importer.
   *
   * @param manager target store
   * @param monitor receives progress
   */
  public Importer(S3RepositoryManager manager, ProgressMonitor monitor) {
    this.manager = manager;
    this.monitor = monitor;
  }

  /**
   * Size of an imported repository.
   *
   * @param refs number of refs, {@code HEAD} not counted
   * @param objects number of objects of the repository
   * @param bytes bytes of its packs
   */
  public record Imported(int refs, long objects, long bytes) {}

  /**
   * Imports a repository.
   *
   * @param source the source; not closed
   * @param name name of the new repository
   * @return its size
   * @throws ManifestException.Exists if there is a repository of that name
   * @throws IOException if the source cannot be read, is incomplete, or the store refuses it
   */
  public Imported run(ImportSource source, RepositoryName name) throws IOException {
    checkFree(name);
    source.inspect(manager.settings().config(), monitor);
    try (S3Repository target = manager.imports().create(source.makesTemplate())) {
      Imported imported;
      try {
        imported = fill(target, source);
        source.finish(target, monitor);
      } catch (IOException e) {
        throw abandoned(target, e);
      }
      publish(target, name);
      return imported;
    }
  }

  private void checkFree(RepositoryName name) throws IOException {
    Optional<S3Repository> found = find(name);
    if (found.isPresent()) {
      found.get().close();
      throw new ManifestException.Exists(
          "there is a repository " + name + " already; choose another name");
    }
  }

  /** Opens the repository that the name has now, whatever this process knew of it. */
  private Optional<S3Repository> find(RepositoryName name) throws IOException {
    try {
      return Optional.of(manager.openRepository(name.value(), Purpose.request()));
    } catch (RepositoryNotFoundException none) {
      return Optional.empty();
    }
  }

  private Imported fill(S3Repository target, ImportSource source) throws IOException {
    source.copyObjects(target, monitor);
    setUp(target, source);
    setRefs(target, source);
    return imported(source, target);
  }

  private void publish(S3Repository made, RepositoryName name) throws IOException {
    String id = made.manifest().repositoryId();
    try {
      manager.imports().publish(made, name);
    } catch (ManifestException.Exists taken) {
      throw abandoned(made, taken);
    } catch (ManifestException.Gone deleted) {
      throw new IOException(
          name + ": the import was deleted while it ran, by a sweep or a person; repeat it",
          deleted);
    } catch (IOException e) {
      throw new IOException(
          e.getMessage()
              + "; the import is whole: unless there is a repository "
              + name
              + " by now, finish it with jgit-s3 rename --id "
              + id
              + " "
              + name,
          e);
    }
  }

  /** Deletes the repository of this import, or names it in the exception if that fails. */
  private IOException abandoned(S3Repository made, IOException why) {
    try {
      manager.imports().delete(made);
    } catch (IOException e) { // a sweep deletes it later
      why.addSuppressed(e);
    }
    return why;
  }

  private static Imported imported(ImportSource source, S3Repository target) throws IOException {
    long objects = 0;
    long bytes = 0;
    for (PackEntry pack : target.manifest().packs()) {
      objects += pack.objects();
      bytes += pack.files().values().stream().mapToLong(file -> file.size()).sum();
    }
    return new Imported(source.refs().count(), objects, bytes);
  }

  private static void setUp(S3Repository target, ImportSource source) throws IOException {
    StoredConfig config = target.getConfig();
    String text = source.configText();
    if (!config.toText().equals(text)) {
      try {
        config.fromText(text);
      } catch (ConfigInvalidException e) {
        throw new IOException(source + ": its config cannot be read: " + e.getMessage(), e);
      }
      config.save();
    }
    target.setGitwebDescription(source.description());
  }

  /** All refs of a repository, as of this call or later. */
  static SourceRefs refsOf(S3Repository repository) throws IOException {
    RefView view = repository.getRefDatabase().validated();
    SnapshotMerge all = RefFold.intoBase(view.table(), view.foldable()).merge();
    Optional<ObjectId> head = view.direct(Constants.HEAD).map(RefValue.Direct::id);
    return new SourceRefs(all.build(), head, view.refs().symrefs());
  }

  private void setRefs(S3Repository target, ImportSource source) throws IOException {
    SourceRefs wanted = source.refs();
    S3RefDatabase refs = target.getRefDatabase();
    String message = "import from " + source;
    for (Map.Entry<String, String> link : wanted.symbolic().entrySet()) {
      RefUpdate update = target.updateRef(link.getKey());
      update.setRefLogMessage(message, false);
      check(link.getKey(), update.link(link.getValue()));
    }
    PackedRefsTable direct;
    try (RevWalk walk = source.newWalk(target)) {
      walk.setRetainBody(false);
      direct = wanted.peeled(walk);
    }
    if (direct.size() > 0) {
      monitor.beginTask(JGitText.get().updatingReferences, direct.size());
      InitialRefs initial = new InitialRefs(direct, refs.identity(null), message);
      monitor.update(refs.commitBatch(initial, direct::tips, initial.bytes()));
      monitor.endTask();
    }
    if (wanted.head().isPresent()) {
      RefUpdate update = refs.newUpdate(Constants.HEAD, true);
      update.setNewObjectId(wanted.head().get());
      update.setRefLogMessage(message, false);
      check(Constants.HEAD, update.forceUpdate());
    }
  }

  /** Refuses an update that was not done. */
  static void check(String name, RefUpdate.Result result) throws IOException {
    switch (result) {
      case NEW, NO_CHANGE, FORCED, FAST_FORWARD -> {}
      default -> throw new IOException(name + " was not made: " + result);
    }
  }
}
