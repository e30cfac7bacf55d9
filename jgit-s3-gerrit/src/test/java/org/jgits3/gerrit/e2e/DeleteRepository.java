// SPDX-License-Identifier: Apache-2.0
package org.jgits3.gerrit.e2e;

import java.io.IOException;
import org.eclipse.jgit.errors.ConfigInvalidException;
import org.eclipse.jgit.lib.Config;
import org.jgits3.S3RepositoryManager;
import org.jgits3.S3Settings;

/** Deletes a repository of the store of a run, without a Gerrit. */
final class DeleteRepository {
  private DeleteRepository() {}

  /** Takes the port of the store, and the name of the repository. */
  public static void main(String[] args) throws IOException, ConfigInvalidException {
    try (S3RepositoryManager manager = open(args[0])) {
      manager.delete(args[1]);
    }
  }

  /** Opens the store of a run by its port. */
  static S3RepositoryManager open(String port) throws IOException, ConfigInvalidException {
    Config config = new Config();
    config.setString("s3", null, "store", "s3://" + S3Server.BUCKET + "/git");
    config.setString("s3", null, "endpoint", "http://127.0.0.1:" + port);
    config.setString("s3", null, "region", "us-east-1");
    config.setString("s3", null, "pathStyle", "true");
    return S3RepositoryManager.open(S3Settings.from(config, "arguments"));
  }
}
