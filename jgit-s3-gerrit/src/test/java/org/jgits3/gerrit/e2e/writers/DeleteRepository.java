// SPDX-License-Identifier: Apache-2.0
package org.jgits3.gerrit.e2e.writers;

import java.io.IOException;
import org.eclipse.jgit.errors.ConfigInvalidException;
import org.jgits3.S3RepositoryManager;

/** Deletes a repository of the store of a run, without a Gerrit. */
public final class DeleteRepository {
  private DeleteRepository() {}

  /** Takes the port of the store, and the name of the repository. */
  public static void main(String[] args) throws IOException, ConfigInvalidException {
    try (S3RepositoryManager manager = Bucket.open(args[0])) {
      manager.delete(args[1]);
    }
  }
}
