// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.e2e;

import static java.nio.charset.StandardCharsets.UTF_8;

import org.eclipse.jgit.lib.Config;
import org.eclipse.jgit.lib.Constants;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.ObjectInserter;
import org.eclipse.jgit.lib.RefUpdate;
import org.eclipse.jgit.lib.Repository;
import org.jgits3.S3RepositoryManager;
import org.jgits3.S3Settings;

/** The Java example of the README, as a program that runs in the working directory. */
final class ReadmeExample {
  private ReadmeExample() {}

  /** Runs the example; what is between the marks stands in the README. */
  public static void main(String[] args) throws Exception {
    // begin
    Config config = new Config();
    config.setString("s3", null, "store", "file:./data"); // or s3://my-bucket/git
    S3Settings settings = S3Settings.from(config, "example");
    try (S3RepositoryManager manager = S3RepositoryManager.open(settings);
        Repository repository = manager.createRepository("embedded");
        ObjectInserter inserter = repository.newObjectInserter()) {
      ObjectId blob = inserter.insert(Constants.OBJ_BLOB, "Hello\n".getBytes(UTF_8));
      inserter.flush();
      RefUpdate update = repository.updateRef("refs/notes/hello");
      update.setNewObjectId(blob);
      System.out.println(update.update() + " " + manager.list());
    }
    // end
  }
}
