// SPDX-License-Identifier: Apache-2.0
package org.jgits3.gerrit.e2e.writers;

import java.io.IOException;
import org.eclipse.jgit.errors.ConfigInvalidException;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.ObjectInserter;
import org.eclipse.jgit.lib.RefUpdate;
import org.eclipse.jgit.lib.Repository;
import org.eclipse.jgit.lib.TreeFormatter;
import org.jgits3.S3RepositoryManager;

/** Sets or deletes refs of any names, without a Gerrit, as far as the library takes them. */
public final class WriteRefs {
  private WriteRefs() {}

  /**
   * Takes the port of the store, the name of the repository, {@code set} or {@code delete}, and
   * refs. Sets each to a commit without files. Prints the names of those that were written.
   */
  public static void main(String[] args) throws IOException, ConfigInvalidException {
    try (S3RepositoryManager manager = Bucket.open(args[0]);
        Repository repository = manager.openRepository(args[1]);
        ObjectInserter objects = repository.newObjectInserter()) {
      ObjectId id = objects.insert(SetRef.empty(objects.insert(new TreeFormatter())));
      objects.flush();
      for (int i = 3; i < args.length; i++) {
        if (Repository.isValidRefName(args[i]) && written(repository, args[i], args[2], id)) {
          System.out.println(args[i]);
        }
      }
    }
  }

  private static boolean written(Repository repository, String ref, String how, ObjectId id)
      throws IOException {
    RefUpdate update = repository.updateRef(ref);
    update.setForceUpdate(true);
    update.setNewObjectId(id);
    RefUpdate.Result result = how.equals("set") ? update.update() : update.delete();
    return result == RefUpdate.Result.NEW || result == RefUpdate.Result.FORCED;
  }
}
