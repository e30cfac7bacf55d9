// SPDX-License-Identifier: Apache-2.0
package org.jgits3.transfer;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.eclipse.jgit.lib.BatchRefUpdate;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.ProgressMonitor;
import org.eclipse.jgit.revwalk.RevWalk;
import org.eclipse.jgit.transport.ReceiveCommand;
import org.jgits3.S3Repository;
import org.jgits3.S3RepositoryManager;
import org.jgits3.manifest.RepositoryName;

/**
 * Keeps a repository in the store equal to one on a disk: an import creates it; updates then add
 * new objects, and set or delete refs. Used by one thread.
 */
public final class Mirror {
  private final S3RepositoryManager manager;
  private final ProgressMonitor monitor;

  /**
   * Creates a mirror.
   *
   * @param manager target store
   * @param monitor receives progress
   */
  public Mirror(S3RepositoryManager manager, ProgressMonitor monitor) {
    this.manager = manager;
    this.monitor = monitor;
  }

  /**
   * Tests whether a repository has all refs of one on a disk, {@code HEAD} too, and no others.
   *
   * @param directory the one on the disk
   * @param name the one in the store
   * @return true if so
   * @throws IOException if one of the two cannot be read
   */
  public boolean isEqual(Path directory, RepositoryName name) throws IOException {
    try (S3Repository target = manager.openRepository(name.value())) {
      return Importer.refsOf(target).isSame(LocalSource.refsOf(directory));
    }
  }

  /**
   * Brings a repository to the refs of one on a disk: copies new objects as one pack, and deletes
   * refs that the one on the disk does not have. The log keeps their values. Changes no ref if one
   * on the disk cannot be read, or an object is missing there.
   *
   * @param directory the one on the disk
   * @param name the one in the store, which exists
   * @throws IOException if the update failed, or the one on the disk has changed meanwhile; repeat
   *     it
   */
  public void update(Path directory, RepositoryName name) throws IOException {
    try (S3Repository target = manager.openRepository(name.value());
        LocalSource source = LocalSource.open(directory)) {
      SourceRefs existing = Importer.refsOf(target);
      source.inspectBeyond(existing.tips(), monitor);
      source.copyObjects(target, monitor);
      BatchRefUpdate batch = target.getRefDatabase().newBatchUpdate();
      batch.setAtomic(false); // deletions come first, since they may free names for others
      batch.setAllowNonFastForwards(true);
      batch.setRefLogMessage("update from " + directory, false);
      batch.addCommand(commands(existing, source.refs()));
      try (RevWalk walk = new RevWalk(target)) {
        batch.execute(walk, monitor);
      }
      for (ReceiveCommand command : batch.getCommands()) {
        check(command);
      }
      if (!Importer.refsOf(target).isSame(LocalSource.refsOf(directory))) {
        throw new IOException(directory + ": has changed meanwhile; give the command again");
      }
    }
  }

  /** Commands that turn refs into others, deletions first. */
  static List<ReceiveCommand> commands(SourceRefs existing, SourceRefs wanted) {
    Predicate<String> deleted =
        name -> wanted.id(name).equals(ObjectId.zeroId()) && wanted.symbolic().get(name) == null;
    return Stream.concat(existing.names().filter(deleted), wanted.names())
        .flatMap(name -> command(name, existing, wanted).stream())
        .toList();
  }

  private static Optional<ReceiveCommand> command(
      String name, SourceRefs existing, SourceRefs wanted) {
    ObjectId oldId = existing.id(name);
    ObjectId newId = wanted.id(name);
    String oldTarget = existing.symbolic().get(name);
    String newTarget = wanted.symbolic().get(name);
    if (oldId.equals(newId) && Objects.equals(oldTarget, newTarget)) {
      return Optional.empty();
    }
    if (newTarget != null) {
      return Optional.of(
          oldTarget != null
              ? ReceiveCommand.link(oldTarget, newTarget, name)
              : ReceiveCommand.link(oldId, newTarget, name));
    }
    return Optional.of(
        oldTarget != null
            ? ReceiveCommand.unlink(oldTarget, newId, name)
            : new ReceiveCommand(oldId, newId, name));
  }

  /** Refuses a command that was not done. */
  static void check(ReceiveCommand command) throws IOException {
    if (command.getResult() != ReceiveCommand.Result.OK) {
      throw new IOException(
          command.getRefName()
              + " was not made: "
              + command.getResult()
              + (command.getMessage() == null ? "" : ", " + command.getMessage()));
    }
  }
}
