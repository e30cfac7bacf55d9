// SPDX-License-Identifier: Apache-2.0
package org.jgits3.stress.robust;

import java.io.IOException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import org.eclipse.jgit.lib.BatchRefUpdate;
import org.eclipse.jgit.lib.CommitBuilder;
import org.eclipse.jgit.lib.NullProgressMonitor;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.ObjectInserter;
import org.eclipse.jgit.lib.PersonIdent;
import org.eclipse.jgit.lib.RefUpdate;
import org.eclipse.jgit.lib.Repository;
import org.eclipse.jgit.lib.TreeFormatter;
import org.eclipse.jgit.revwalk.RevWalk;
import org.eclipse.jgit.transport.ReceiveCommand;

/** Small changes of a repository. */
public final class Refs {
  private static final PersonIdent WHO =
      new PersonIdent("A U Thor", "author@example.com", Instant.EPOCH, ZoneOffset.UTC);

  private Refs() {}

  /**
   * Inserts a commit of an empty tree.
   *
   * @param repository where
   * @param message its message
   * @return its id
   * @throws IOException if it cannot be inserted
   */
  public static ObjectId commit(Repository repository, String message) throws IOException {
    try (ObjectInserter inserter = repository.newObjectInserter()) {
      ObjectId id = commit(inserter, message);
      inserter.flush();
      return id;
    }
  }

  /** The same, to be flushed by the caller. */
  static ObjectId commit(ObjectInserter inserter, String message) throws IOException {
    CommitBuilder commit = new CommitBuilder();
    commit.setTreeId(inserter.insert(new TreeFormatter()));
    commit.setAuthor(WHO);
    commit.setCommitter(WHO);
    commit.setMessage(message);
    return inserter.insert(commit);
  }

  /**
   * Makes a ref point to an object.
   *
   * @throws IOException if it does not
   */
  static void point(Repository repository, String name, ObjectId id) throws IOException {
    RefUpdate update = repository.updateRef(name);
    update.setNewObjectId(id);
    update.setForceUpdate(true);
    RefUpdate.Result result = update.update();
    switch (result) {
      case NEW, FORCED, FAST_FORWARD -> {}
      default -> throw new IOException(name + ": " + result);
    }
  }

  /** Deletes a ref. */
  static void delete(Repository repository, String name) throws IOException {
    RefUpdate update = repository.updateRef(name);
    update.setForceUpdate(true);
    RefUpdate.Result result = update.delete();
    if (result != RefUpdate.Result.FORCED) {
      throw new IOException(name + ": " + result);
    }
  }

  /**
   * Creates many refs that point to one object, in one batch.
   *
   * @param repository where
   * @param prefix what their names begin with; six digits follow
   * @param count their number
   * @param id the object
   * @throws IOException if one is not created
   */
  public static void createMany(Repository repository, String prefix, int count, ObjectId id)
      throws IOException {
    List<ReceiveCommand> commands = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      commands.add(new ReceiveCommand(ObjectId.zeroId(), id, prefix + "%06d".formatted(i)));
    }
    BatchRefUpdate batch = repository.getRefDatabase().newBatchUpdate().addCommand(commands);
    try (RevWalk walk = new RevWalk(repository)) {
      batch.execute(walk, NullProgressMonitor.INSTANCE);
    }
    for (ReceiveCommand each : commands) {
      if (each.getResult() != ReceiveCommand.Result.OK) {
        throw new IOException(each + ": " + each.getResult() + " " + each.getMessage());
      }
    }
  }
}
