// SPDX-License-Identifier: Apache-2.0
package org.jgits3.transfer;

import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import org.eclipse.jgit.errors.ConfigInvalidException;
import org.eclipse.jgit.errors.RepositoryNotFoundException;
import org.eclipse.jgit.internal.JGitText;
import org.eclipse.jgit.lib.Constants;
import org.eclipse.jgit.lib.NullProgressMonitor;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.ProgressMonitor;
import org.eclipse.jgit.lib.RefUpdate;
import org.eclipse.jgit.lib.StoredConfig;
import org.eclipse.jgit.revwalk.RevWalk;
import org.jgits3.S3Repository;
import org.jgits3.S3RepositoryManager;
import org.jgits3.internal.catalog.RepositoryCatalog;
import org.jgits3.internal.commit.CommitPolicy;
import org.jgits3.internal.refs.S3RefDatabase;
import org.jgits3.internal.refs.snapshot.RefView;
import org.jgits3.internal.refs.table.PackedRefsTable;
import org.jgits3.internal.refs.table.RefFold;
import org.jgits3.internal.refs.table.SnapshotMerge;
import org.jgits3.internal.refs.transaction.InitialRefs;
import org.jgits3.manifest.Manifest;
import org.jgits3.manifest.ManifestException;
import org.jgits3.manifest.PackEntry;
import org.jgits3.manifest.RefValue;
import org.jgits3.manifest.RepositoryName;
import org.jgits3.manifest.RepositoryState;
import org.jgits3.manifest.VersionedManifest;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Imports a repository: objects, all refs with {@code HEAD} and other symbolic ones, description,
 * and the part of the configuration that belongs to the repository. Does not import reflogs, and
 * refuses a shallow repository.
 *
 * <p>Each import writes to a repository of its own, {@code NAME.importing/RANDOM}, and renames it
 * when it is complete. Concurrent imports of one name therefore meet only at the rename, which one
 * of them wins. The manifest marks a repository that is being imported; an import deletes only
 * repositories with this mark. Used by one thread.
 */
public final class Importer {
  private static final Logger LOG = LoggerFactory.getLogger(Importer.class);

  private final S3RepositoryManager manager;
  private final RepositoryCatalog catalog;
  private final ProgressMonitor monitor;

  /**
   * Creates an importer.
   *
   * @param manager target store
   * @param monitor receives progress
   */
  public Importer(S3RepositoryManager manager, ProgressMonitor monitor) {
    this.manager = manager;
    this.catalog = new RepositoryCatalog(manager.store(), CommitPolicy.DEFAULT);
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
   * Imports a repository. If an earlier import of the name was interrupted during its rename,
   * completes that instead. At the end deletes the repositories of other imports of the name, which
   * can no longer get it.
   *
   * @param source the source; not closed
   * @param name name of the new repository
   * @return its size
   * @throws ManifestException.Exists if there is a repository of that name
   * @throws IOException if the source cannot be read, is incomplete, or the store refuses it
   */
  public Imported run(ImportSource source, RepositoryName name) throws IOException {
    Optional<String> another = finishesAnother(name);
    Optional<Imported> finished =
        another.isPresent() ? finished(source, name, another.get()) : Optional.empty();
    Imported imported = finished.isPresent() ? finished.get() : made(source, name);
    deleteOthers(name);
    return imported;
  }

  /**
   * Completes the rename of another import, which began when its repository was complete.
   *
   * @return id of the repository, which the name had, and may no longer have
   */
  private Optional<String> finishesAnother(RepositoryName name) throws IOException {
    Optional<Manifest> found = catalog.read(name).map(VersionedManifest::manifest);
    catalog.checkNotOfTemplate(name, found);
    Optional<String> repositoryId = found.map(Manifest::repositoryId);
    RepositoryState state = found.map(Manifest::state).orElse(null);
    boolean finished = false;
    if (state instanceof RepositoryState.Reserved reserved
        && reserved.from().startsWith(RepositoryCatalog.importPrefix(name))) {
      finished = finishesRename(reserved.from(), name);
    } else if (state instanceof RepositoryState.Active) {
      for (var left : catalog.imports(name).entrySet()) {
        Manifest other = left.getValue();
        finished |=
            other.state() instanceof RepositoryState.Moving
                && finishesRename(left.getKey().value(), name)
                && repositoryId.equals(Optional.of(other.repositoryId()));
      }
    }
    return finished ? repositoryId : Optional.empty();
  }

  private boolean finishesRename(String from, RepositoryName name) throws IOException {
    try {
      manager.rename(from, name.value());
      return true;
    } catch (ManifestException.Gone deleted) {
      return false;
    }
  }

  /**
   * Reports the repository of an earlier import of the name, if it has the refs of the source.
   *
   * @return empty if the name no longer has the repository
   */
  private Optional<Imported> finished(ImportSource source, RepositoryName name, String repositoryId)
      throws IOException {
    Optional<S3Repository> found = find(name);
    if (found.isEmpty()) {
      return Optional.empty();
    }
    try (S3Repository repository = found.get()) {
      if (!repository.manifest().repositoryId().equals(repositoryId)) {
        return Optional.empty();
      }
      if (repository.manifest().isTemplate() != source.makesTemplate()) {
        throw new IOException(
            name
                + " was made by an import that was interrupted, and is finished now: it is "
                + (source.makesTemplate() ? "no" : "a")
                + " template");
      }
      source.inspect(manager.settings().config(), NullProgressMonitor.INSTANCE);
      if (!refsOf(repository).areThoseOf(source.refs())) {
        throw new IOException(
            name
                + " was made by an import that was interrupted, and is finished now; "
                + source
                + " has other refs than it had then");
      }
      return Optional.of(imported(source, repository));
    }
  }

  private Imported made(ImportSource source, RepositoryName name) throws IOException {
    checkFree(name);
    source.inspect(manager.settings().config(), monitor);
    try (S3Repository target = create(name)) {
      RepositoryName staging = new RepositoryName(target.getDescription().getRepositoryName());
      Imported imported;
      try {
        imported = fill(target, source);
        source.finish(target, name, monitor);
      } catch (IOException e) {
        throw abandoned(staging, name, e);
      }
      publish(staging, name);
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
      return Optional.of(manager.openForRequest(name.value()));
    } catch (RepositoryNotFoundException none) {
      return Optional.empty();
    }
  }

  private void deleteOther(RepositoryName left, RepositoryName name) throws IOException {
    try {
      manager.deleteImport(left, name);
    } catch (ManifestException.Gone ended) {
      LOG.debug("{} has ended meanwhile", left, ended);
    }
  }

  private S3Repository create(RepositoryName name) throws IOException {
    try {
      return manager.createImport(name);
    } catch (ManifestException.Gone e) {
      throw defeat(name, e);
    } catch (IllegalArgumentException e) {
      throw new IOException(
          name + ": too long to be imported, since it is longer until then: " + e.getMessage(), e);
    }
  }

  private Imported fill(S3Repository target, ImportSource source) throws IOException {
    source.copyObjects(target, monitor);
    setUp(target, source);
    setRefs(target, source);
    return imported(source, target);
  }

  private void publish(RepositoryName staging, RepositoryName name) throws IOException {
    try {
      manager.rename(staging.value(), name.value());
    } catch (ManifestException.Exists | ManifestException.Gone e) {
      throw abandoned(staging, name, e);
    } catch (IOException e) {
      throw new IOException(
          e.getMessage()
              + "; the import is whole: finish it with jgit-s3 rename "
              + staging
              + " "
              + name,
          e);
    }
  }

  /** Removes the repository of this import, or names it in the exception if that fails. */
  private IOException abandoned(RepositoryName staging, RepositoryName name, IOException why) {
    try {
      manager.deleteImport(staging, name);
      return why instanceof ManifestException.Exists ? defeat(name, why) : why;
    } catch (ManifestException.Gone deleted) { // by the import that has won, or by a person
      return defeat(name, why);
    } catch (IOException e) {
      why.addSuppressed(e);
      return new IOException(
          why.getMessage() + "; what is there of it is left as " + staging + ", delete that", why);
    }
  }

  /** Creates the exception for a name that another repository has taken, if that is the cause. */
  private IOException defeat(RepositoryName name, IOException why) {
    try {
      checkFree(name);
    } catch (ManifestException.Exists taken) {
      taken.addSuppressed(why);
      return taken;
    } catch (IOException e) {
      why.addSuppressed(e);
    }
    return why;
  }

  /**
   * Deletes the remains of killed imports of the name, and the repositories of those that lost the
   * race.
   */
  private void deleteOthers(RepositoryName name) {
    try {
      for (var left : catalog.imports(name).entrySet()) {
        if (left.getValue().state() instanceof RepositoryState.Active) {
          deleteOther(left.getKey(), name);
        }
      }
    } catch (IOException e) { // the repository is there all the same
      LOG.warn("what other imports of {} have left is still there: {}", name, e.getMessage());
    }
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
