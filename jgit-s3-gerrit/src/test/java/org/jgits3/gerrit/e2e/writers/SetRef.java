// SPDX-License-Identifier: Apache-2.0
package org.jgits3.gerrit.e2e.writers;

import java.io.IOException;
import org.eclipse.jgit.errors.ConfigInvalidException;
import org.eclipse.jgit.lib.CommitBuilder;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.ObjectInserter;
import org.eclipse.jgit.lib.PersonIdent;
import org.eclipse.jgit.lib.Ref;
import org.eclipse.jgit.lib.RefUpdate;
import org.eclipse.jgit.lib.Repository;
import org.eclipse.jgit.lib.TreeFormatter;
import org.jgits3.S3RepositoryManager;

/** Sets a ref of a repository of the store of a run, without a Gerrit. */
public final class SetRef {
  private SetRef() {}

  /**
   * Takes the port of the store, the name of the repository, the ref, and an object id; without one
   * it sets the ref to a commit without files. Prints the id that the ref had, zero if it is new.
   */
  public static void main(String[] args) throws IOException, ConfigInvalidException {
    try (S3RepositoryManager manager = Bucket.open(args[0]);
        Repository repository = manager.openRepository(args[1]);
        ObjectInserter objects = repository.newObjectInserter()) {
      ObjectId id =
          args.length > 3
              ? ObjectId.fromString(args[3])
              : objects.insert(empty(objects.insert(new TreeFormatter())));
      objects.flush();
      RefUpdate update = repository.updateRef(args[2]);
      update.setNewObjectId(id);
      update.setForceUpdate(true);
      Ref ref = repository.exactRef(args[2]);
      ObjectId before = ref == null ? ObjectId.zeroId() : ref.getObjectId();
      RefUpdate.Result result = update.forceUpdate();
      if (result != RefUpdate.Result.FORCED && result != RefUpdate.Result.NEW) {
        throw new IOException(args[2] + ": " + result);
      }
      System.out.println(before.name());
    }
  }

  static CommitBuilder empty(ObjectId tree) {
    CommitBuilder commit = new CommitBuilder();
    commit.setTreeId(tree);
    commit.setAuthor(new PersonIdent("admin", "admin@example.com"));
    commit.setCommitter(commit.getAuthor());
    commit.setMessage("empty\n");
    return commit;
  }
}
