// SPDX-License-Identifier: Apache-2.0
package org.jgits3.transfer;

import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.eclipse.jgit.errors.ConfigInvalidException;
import org.eclipse.jgit.errors.RepositoryNotFoundException;
import org.eclipse.jgit.lib.BatchRefUpdate;
import org.eclipse.jgit.lib.Constants;
import org.eclipse.jgit.lib.NullProgressMonitor;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.ProgressMonitor;
import org.eclipse.jgit.lib.RefUpdate;
import org.eclipse.jgit.lib.StoredConfig;
import org.eclipse.jgit.revwalk.RevWalk;
import org.eclipse.jgit.transport.ReceiveCommand;
import org.jgits3.S3Repository;
import org.jgits3.S3RepositoryManager;
import org.jgits3.manifest.Bindings;
import org.jgits3.manifest.CommitPolicy;
import org.jgits3.manifest.Manifest;
import org.jgits3.manifest.ManifestException;
import org.jgits3.manifest.PackEntry;
import org.jgits3.manifest.RepositoryName;
import org.jgits3.manifest.RepositoryState;

/**
 * Makes a repository from one elsewhere: objects, all refs with {@code HEAD} and other symbolic
 * ones, and what of configuration and description belongs to the repository. Reflogs are not taken
 * along, and a shallow repository is refused.
 *
 * <p>The repository is made under {@code NAME.importing}, and gets its name, by a rename, when it
 * is whole. Whatever an import was interrupted at, the same call finishes it, and uses what it has
 * uploaded. Used by one thread.
 */
public final class Importer {
  /** What the name ends in as long as the repository is not whole. */
  public static final String SUFFIX = ".importing";

  private final S3RepositoryManager manager;
  private final ProgressMonitor monitor;

  /**
   * An importer.
   *
   * @param manager store that gets the repositories
   * @param monitor told of the progress
   */
  public Importer(S3RepositoryManager manager, ProgressMonitor monitor) {
    this.manager = manager;
    this.monitor = monitor;
  }

  /**
   * What was imported.
   *
   * @param refs number of refs, {@code HEAD} not counted
   * @param objects number of objects of the repository
   * @param bytes bytes of its packs
   */
  public record Imported(int refs, long objects, long bytes) {}

  /**
   * Imports a repository, or finishes an import that was interrupted.
   *
   * @param source where it is; not closed
   * @param name name that it gets
   * @return what was imported
   * @throws ManifestException.Exists if there is a repository of that name
   * @throws IOException if the source cannot be read, is not whole, or the store does not take it
   */
  public Imported run(ImportSource source, RepositoryName name) throws IOException {
    RepositoryName staging = new RepositoryName(name.value() + SUFFIX);
    if (isRenamed(staging, name)) {
      manager.rename(staging.value(), name.value());
      return finished(source, name);
    }
    checkFree(name, staging);
    source.inspect(manager.settings().config(), monitor);
    Imported imported = stage(source, staging);
    manager.rename(staging.value(), name.value());
    return imported;
  }

  /** Whether an import was interrupted when everything was done but the rename. */
  private boolean isRenamed(RepositoryName staging, RepositoryName name) throws IOException {
    Optional<RepositoryState> state =
        new Bindings(manager.store(), CommitPolicy.DEFAULT)
            .read(staging)
            .map(found -> found.manifest().state());
    return state.orElse(null) instanceof RepositoryState.Moving moving
        && moving.to().equals(name.value());
  }

  /** Says what an earlier import of the name has made, if that is what the source has. */
  private Imported finished(ImportSource source, RepositoryName name) throws IOException {
    source.inspect(manager.settings().config(), NullProgressMonitor.INSTANCE);
    try (S3Repository repository = manager.openRepository(name.value())) {
      if (!refsOf(repository).areThoseOf(source.refs())) {
        throw new IOException(
            name
                + " was made by an import that was interrupted, and is finished now; "
                + source
                + " has other refs than it had then");
      }
      return imported(source, repository);
    }
  }

  private void checkFree(RepositoryName name, RepositoryName staging) throws IOException {
    try {
      manager.openRepository(name.value()).close();
    } catch (RepositoryNotFoundException free) {
      return;
    } catch (ManifestException.Gone e) {
      if (e.state().orElse(null) instanceof RepositoryState.Reserved reserved
          && reserved.from().equals(staging.value())) {
        return; // kept for this very import, which was interrupted before its rename
      }
      throw e;
    }
    throw new ManifestException.Exists(
        "there is a repository " + name + " already; choose another name");
  }

  private Imported stage(ImportSource source, RepositoryName staging) throws IOException {
    try (S3Repository target = openOrCreate(staging)) {
      try {
        source.copyObjects(target, monitor);
        setUp(target, source);
        setRefs(target, source);
        return imported(source, target);
      } catch (IOException e) {
        throw abandoned(target, staging, e);
      }
    }
  }

  /** Removes what has got no objects yet, or never will be whole; says what is kept otherwise. */
  private IOException abandoned(S3Repository target, RepositoryName staging, IOException why) {
    try {
      Manifest manifest = target.manifest();
      if (manifest.packs().isEmpty() || !manifest.settings().shallow().isEmpty()) {
        manager.delete(staging.value());
        return why;
      }
    } catch (IOException e) {
      why.addSuppressed(e);
    }
    return new IOException(
        why.getMessage()
            + "; what has been uploaded is kept as "
            + staging
            + ": import again to go on, or delete it",
        why);
  }

  private S3Repository openOrCreate(RepositoryName staging) throws IOException {
    try {
      return manager.openRepository(staging.value());
    } catch (RepositoryNotFoundException none) {
      return manager.createRepository(staging.value());
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
    String text = MovableConfig.textOf(source.config());
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

  private static SourceRefs refsOf(S3Repository repository) throws IOException {
    repository.scanForRepoChanges();
    Map<String, ObjectId> direct = new HashMap<>();
    repository.getRefDatabase().getRefsByPrefix("").stream()
        .filter(ref -> !ref.isSymbolic())
        .forEach(ref -> direct.put(ref.getName(), ref.getObjectId()));
    return new SourceRefs(direct, repository.manifest().refs().symrefs());
  }

  private void setRefs(S3Repository target, ImportSource source) throws IOException {
    SourceRefs wanted = source.refs();
    SourceRefs there = refsOf(target);
    if (there.areThoseOf(wanted)) {
      return;
    }
    String message = "import from " + source;
    try (RevWalk walk = source.newWalk(target)) {
      walk.setRetainBody(false);
      clear(target, there, walk);
      for (Map.Entry<String, String> link : wanted.symbolic().entrySet()) {
        RefUpdate update = target.updateRef(link.getKey());
        update.setRefLogMessage(message, false);
        check(link.getKey(), update.link(link.getValue()));
      }
      BatchRefUpdate batch = batch(target, message);
      for (Map.Entry<String, ObjectId> ref : wanted.direct().entrySet()) {
        if (!ref.getKey().equals(Constants.HEAD)) {
          batch.addCommand(new ReceiveCommand(ObjectId.zeroId(), ref.getValue(), ref.getKey()));
        }
      }
      execute(batch, walk);
      ObjectId head = wanted.direct().get(Constants.HEAD);
      if (head != null) {
        RefUpdate update = target.getRefDatabase().newUpdate(Constants.HEAD, true);
        update.setNewObjectId(head);
        update.setRefLogMessage(message, false);
        check(Constants.HEAD, update.forceUpdate());
      }
    }
  }

  /** Removes the refs that an import of another state of the source has made. */
  private void clear(S3Repository target, SourceRefs there, RevWalk walk) throws IOException {
    for (String link : there.symbolic().keySet()) {
      if (!link.equals(Constants.HEAD)) {
        RefUpdate update = target.getRefDatabase().newUpdate(link, true);
        update.setForceUpdate(true);
        check(link, update.delete());
      }
    }
    BatchRefUpdate batch = batch(target, "import again");
    there
        .direct()
        .forEach(
            (name, id) -> {
              if (!name.equals(Constants.HEAD)) {
                batch.addCommand(new ReceiveCommand(id, ObjectId.zeroId(), name));
              }
            });
    execute(batch, walk);
  }

  private static BatchRefUpdate batch(S3Repository target, String message) {
    BatchRefUpdate batch = target.getRefDatabase().newBatchUpdate();
    batch.setAtomic(true);
    batch.setAllowNonFastForwards(true);
    batch.setRefLogMessage(message, false);
    return batch;
  }

  private void execute(BatchRefUpdate batch, RevWalk walk) throws IOException {
    if (batch.getCommands().isEmpty()) {
      return;
    }
    batch.execute(walk, monitor);
    for (ReceiveCommand command : batch.getCommands()) {
      if (command.getResult() != ReceiveCommand.Result.OK
          && !ReceiveCommand.isTransactionAborted(command)) {
        throw new IOException(
            command.getRefName()
                + " was not made: "
                + command.getResult()
                + (command.getMessage() == null ? "" : ", " + command.getMessage()));
      }
    }
  }

  private static void check(String name, RefUpdate.Result result) throws IOException {
    switch (result) {
      case NEW, NO_CHANGE, FORCED, FAST_FORWARD -> {}
      default -> throw new IOException(name + " was not made: " + result);
    }
  }
}
