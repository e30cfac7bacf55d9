// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.refs;

import java.io.IOException;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.eclipse.jgit.lib.CommitBuilder;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.ObjectInserter;
import org.eclipse.jgit.lib.PersonIdent;
import org.eclipse.jgit.lib.RefUpdate;
import org.eclipse.jgit.lib.Repository;
import org.eclipse.jgit.lib.TreeFormatter;

/** Moves a branch to and fro between two objects. */
final class SingleUpdate {
  private static final String BRANCH = "refs/heads/stable-000000";

  /** Of a repository of the user, the branch is a new one at first. */
  private static final Set<RefUpdate.Result> MOVED =
      EnumSet.of(RefUpdate.Result.NEW, RefUpdate.Result.FORCED, RefUpdate.Result.FAST_FORWARD);

  private SingleUpdate() {}

  /** Writes two commits for the branch to point to. */
  static List<ObjectId> targets(Repository repository) throws IOException {
    try (ObjectInserter inserter = repository.newObjectInserter()) {
      CommitBuilder commit = new CommitBuilder();
      commit.setTreeId(inserter.insert(new TreeFormatter()));
      commit.setAuthor(new PersonIdent("A U Thor", "author@example.com"));
      commit.setCommitter(commit.getAuthor());
      commit.setMessage("one");
      ObjectId one = inserter.insert(commit);
      commit.setMessage("two");
      List<ObjectId> ids = List.of(one, inserter.insert(commit));
      inserter.flush();
      return ids;
    }
  }

  /**
   * Moves the branch.
   *
   * @param target one of the commits
   * @return what became of it
   * @throws IOException if it was not moved
   */
  static RefUpdate.Result run(Repository repository, ObjectId target) throws IOException {
    RefUpdate update = repository.updateRef(BRANCH);
    update.setNewObjectId(target);
    update.setForceUpdate(true);
    RefUpdate.Result result = update.update();
    if (!MOVED.contains(result)) {
      throw new IOException(BRANCH + " was not moved: " + result);
    }
    return result;
  }
}
