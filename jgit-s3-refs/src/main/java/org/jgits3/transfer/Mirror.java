// SPDX-License-Identifier: Apache-2.0
package org.jgits3.transfer;

import java.io.IOException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.eclipse.jgit.lib.BatchRefUpdate;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.ProgressMonitor;
import org.eclipse.jgit.revwalk.RevWalk;
import org.eclipse.jgit.transport.FetchConnection;
import org.eclipse.jgit.transport.ReceiveCommand;
import org.eclipse.jgit.transport.RefSpec;
import org.eclipse.jgit.transport.TagOpt;
import org.eclipse.jgit.transport.Transport;
import org.eclipse.jgit.transport.URIish;
import org.jgits3.S3Repository;
import org.jgits3.S3RepositoryManager;
import org.jgits3.manifest.RepositoryName;

/**
 * Repository on a disk that one in the store is to be equal to: made by an import, then brought up
 * to date by the objects and refs that are new. Used by one thread.
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
      return Importer.refsOf(target).equals(refsOf(directory));
    }
  }

  /**
   * Gives a repository the refs of one on a disk: fetches the objects that are new, and deletes
   * refs that the other does not have. The log keeps their values. Changes no ref if one on the
   * disk cannot be read.
   *
   * @param directory the one on the disk
   * @param name the one in the store, which exists
   * @throws IOException if it could not be done, or the one on the disk has changed meanwhile;
   *     repeat it
   */
  public void update(Path directory, RepositoryName name) throws IOException {
    try (S3Repository target = manager.openRepository(name.value())) {
      SourceRefs wanted = refsOf(directory);
      SourceRefs existing = Importer.refsOf(target);
      Set<ObjectId> tips = wanted.tips();
      tips.removeAll(existing.tips());
      if (!tips.isEmpty()) {
        fetch(target, directory, tips);
      }
      BatchRefUpdate batch = Importer.batch(target, "update from " + directory);
      batch.setAtomic(false); // deletions come first, since they may free names for others
      batch.addCommand(commands(existing, wanted));
      try (RevWalk walk = new RevWalk(target)) {
        Importer.execute(batch, walk, monitor);
      }
      if (!Importer.refsOf(target).equals(refsOf(directory))) {
        throw new IOException(directory + ": has changed meanwhile; give the command again");
      }
    }
  }

  /**
   * Fetches objects by id, not by the names that JGit advertises: it leaves out refs that it cannot
   * read, and hidden ones.
   */
  private void fetch(S3Repository target, Path directory, Set<ObjectId> tips) throws IOException {
    URIish uri = new URIish().setPath(directory.toAbsolutePath().toString());
    try (Transport transport = Transport.open(target, uri)) {
      checkOffered(transport, directory, tips);
      transport.setCheckFetchedObjects(true);
      transport.setTagOpt(TagOpt.NO_TAGS);
      transport.fetch(monitor, tips.stream().map(id -> new RefSpec(id.name())).toList());
    }
  }

  /** Refuses what the fetch would refuse with a stack trace. */
  private static void checkOffered(Transport transport, Path directory, Set<ObjectId> tips)
      throws IOException {
    Set<ObjectId> hidden = new HashSet<>(tips);
    try (FetchConnection connection = transport.openFetch()) {
      connection.getRefs().forEach(ref -> hidden.remove(ref.getObjectId()));
    }
    if (!hidden.isEmpty()) {
      throw new IOException(
          directory
              + ": "
              + hidden.iterator().next().name()
              + " cannot be fetched; see git fsck, give the command again if refs have changed"
              + " meanwhile, or remove uploadpack.hideRefs until the update is done");
    }
  }

  private static List<ReceiveCommand> commands(SourceRefs existing, SourceRefs wanted) {
    Set<String> names = new TreeSet<>();
    for (SourceRefs refs : List.of(existing, wanted)) {
      names.addAll(refs.direct().keySet());
      names.addAll(refs.symbolic().keySet());
    }
    return names.stream().flatMap(name -> command(name, existing, wanted).stream()).toList();
  }

  private static Optional<ReceiveCommand> command(
      String name, SourceRefs existing, SourceRefs wanted) {
    ObjectId oldId = existing.direct().getOrDefault(name, ObjectId.zeroId());
    ObjectId newId = wanted.direct().getOrDefault(name, ObjectId.zeroId());
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

  private static SourceRefs refsOf(Path directory) throws IOException {
    try (LocalSource source = LocalSource.open(directory)) {
      return source.readRefs();
    }
  }
}
