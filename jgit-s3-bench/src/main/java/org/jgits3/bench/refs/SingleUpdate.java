// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.refs;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.util.List;
import org.eclipse.jgit.lib.Constants;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.ObjectInserter;
import org.eclipse.jgit.lib.RefUpdate;
import org.eclipse.jgit.lib.Repository;

/** Moves a branch to and fro between two objects. */
final class SingleUpdate {
  private static final String BRANCH = "refs/heads/stable-000000";

  private SingleUpdate() {}

  /** Writes two objects for the branch to point to. */
  static List<ObjectId> targets(Repository repository) throws IOException {
    try (ObjectInserter inserter = repository.newObjectInserter()) {
      List<ObjectId> ids =
          List.of(
              inserter.insert(Constants.OBJ_BLOB, "one".getBytes(UTF_8)),
              inserter.insert(Constants.OBJ_BLOB, "two".getBytes(UTF_8)));
      inserter.flush();
      return ids;
    }
  }

  /**
   * Moves the branch.
   *
   * @param target one of the objects
   * @return what became of it
   * @throws IOException if it was not moved
   */
  static RefUpdate.Result run(Repository repository, ObjectId target) throws IOException {
    RefUpdate update = repository.updateRef(BRANCH);
    update.setNewObjectId(target);
    update.setForceUpdate(true);
    RefUpdate.Result result = update.update();
    if (result != RefUpdate.Result.FORCED && result != RefUpdate.Result.FAST_FORWARD) {
      throw new IOException(BRANCH + " was not moved: " + result);
    }
    return result;
  }
}
