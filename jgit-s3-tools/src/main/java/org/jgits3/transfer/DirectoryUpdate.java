// SPDX-License-Identifier: Apache-2.0
package org.jgits3.transfer;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.eclipse.jgit.internal.storage.pack.PackWriter;
import org.eclipse.jgit.lib.BatchRefUpdate;
import org.eclipse.jgit.lib.Constants;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.ObjectReader;
import org.eclipse.jgit.lib.ProgressMonitor;
import org.eclipse.jgit.lib.RefUpdate;
import org.eclipse.jgit.lib.Repository;
import org.eclipse.jgit.revwalk.RevWalk;
import org.eclipse.jgit.transport.ReceiveCommand;
import org.jgits3.S3Repository;

/**
 * Brings a repository in a directory to the refs of one in the store. Objects come first, as one
 * pack. Then refs that were symbolic are set, others deleted, which may free names, and the
 * remaining ones set; new symbolic refs are last. Used by one thread, once.
 */
final class DirectoryUpdate {
  private final S3Repository repository;
  private final Path directory;
  private final ProgressMonitor monitor;

  DirectoryUpdate(S3Repository repository, Path directory, ProgressMonitor monitor) {
    this.repository = repository;
    this.directory = directory;
    this.monitor = monitor;
  }

  void run() throws IOException {
    SourceRefs wanted = BareDirectory.refsOf(repository);
    SourceRefs existing;
    try (LocalSource target = LocalSource.open(directory)) {
      if (!target.repository().getObjectDatabase().getShallowCommits().isEmpty()) {
        throw new IOException(
            directory + ": a shallow repository cannot be updated; move it away, and export again");
      }
      if (target.isPartialClone()) {
        throw new IOException(
            directory + ": a partial clone cannot be updated; move it away, and export again");
      }
      existing = target.readRefs();
      copyObjects(target.repository(), existing.tips(), wanted.tips());
    }
    try (LocalSource target = LocalSource.open(directory)) { // which sees the new pack
      setRefs(target.repository(), Mirror.commands(existing, wanted));
    }
    if (!LocalSource.refsOf(directory).isSame(wanted)) {
      throw new IOException(directory + ": has changed meanwhile; give the command again");
    }
  }

  private void copyObjects(Repository target, Set<ObjectId> existing, Set<ObjectId> tips)
      throws IOException {
    Set<ObjectId> known = new HashSet<>();
    try (ObjectReader reader = target.newObjectReader()) {
      for (ObjectId id : existing) {
        if (reader.has(id)) {
          known.add(id);
        }
      }
    }
    tips.removeAll(known);
    if (tips.isEmpty()) {
      return;
    }
    Path packs = target.getCommonDirectory().toPath().resolve("objects/pack");
    Files.createDirectories(packs);
    try (PackWriter selected = Selection.of(repository, tips, known, monitor)) {
      if (selected.getObjectCount() > 0) {
        PackDirectory.write(packs, selected, monitor);
      }
    }
  }

  private void setRefs(Repository target, List<ReceiveCommand> commands) throws IOException {
    List<ReceiveCommand> deletions = new ArrayList<>();
    List<ReceiveCommand> others = new ArrayList<>();
    List<ReceiveCommand> links = new ArrayList<>();
    for (ReceiveCommand command : commands) {
      boolean head = command.getRefName().equals(Constants.HEAD);
      if (command.getNewSymref() != null) {
        links.add(command);
      } else if (command.getOldSymref() != null || head) {
        setAlone(target, command);
      } else if (command.getType() == ReceiveCommand.Type.DELETE) {
        deletions.add(command);
      } else {
        others.add(command);
      }
    }
    setTogether(target, deletions);
    setTogether(target, others);
    for (ReceiveCommand link : links) {
      setAlone(target, link);
    }
  }

  private void setTogether(Repository target, List<ReceiveCommand> commands) throws IOException {
    if (commands.size() == 1) { // a batch of one refuses a ref whose old object is missing
      setAlone(target, commands.get(0));
      return;
    }
    BatchRefUpdate batch = target.getRefDatabase().newBatchUpdate();
    batch.setAtomic(true);
    batch.setAllowNonFastForwards(true);
    batch.setRefLogMessage(message(), false);
    batch.addCommand(commands);
    try (RevWalk walk = new RevWalk(target)) {
      batch.execute(walk, monitor);
    }
    for (ReceiveCommand command : commands) {
      Mirror.check(command);
    }
  }

  /** Sets one ref; if it is symbolic, that itself. */
  private void setAlone(Repository target, ReceiveCommand command) throws IOException {
    RefUpdate update = target.getRefDatabase().newUpdate(command.getRefName(), true);
    update.setRefLogMessage(message(), false);
    update.setForceUpdate(true);
    RefUpdate.Result result;
    if (command.getNewSymref() != null) {
      result = update.link(command.getNewSymref());
    } else if (command.getNewId().equals(ObjectId.zeroId())) {
      result = update.delete();
    } else {
      update.setNewObjectId(command.getNewId());
      result = update.update();
    }
    Importer.check(command.getRefName(), result);
  }

  private String message() {
    return "update from " + repository;
  }
}
