// SPDX-License-Identifier: Apache-2.0
package org.jgits3.gerrit.e2e.writers;

import java.io.IOException;
import org.eclipse.jgit.errors.ConfigInvalidException;
import org.eclipse.jgit.internal.storage.dfs.DfsPackFile;
import org.eclipse.jgit.internal.storage.pack.PackExt;
import org.jgits3.S3Repository;
import org.jgits3.S3RepositoryManager;

/** Lists the packs of a repository of the store of a run, without a Gerrit. */
public final class ListPacks {
  private ListPacks() {}

  /** Takes the port of the store, and the name of the repository. Prints a line for each. */
  public static void main(String[] args) throws IOException, ConfigInvalidException {
    try (S3RepositoryManager manager = Bucket.open(args[0]);
        S3Repository repository = manager.openRepository(args[1])) {
      for (DfsPackFile pack : repository.getObjectDatabase().getPacks()) {
        System.out.println("pack " + pack.getPackDescription().getFileName(PackExt.PACK));
      }
    }
  }
}
