// SPDX-License-Identifier: Apache-2.0
package org.jgits3.gerrit;

import org.eclipse.jgit.lib.Config;
import org.jgits3.S3RepositoryManager;
import org.jgits3.S3Settings;

/** Creates a repository in a bucket, with the classes of the jar and its default credentials. */
final class OpensBucket {
  private OpensBucket() {}

  /**
   * Runs in a thread as those of the common pool are in Gerrit: its context class loader does not
   * have the jars of {@code SITE/lib}.
   *
   * @param args store and endpoint
   */
  public static void main(String[] args) throws Exception {
    Thread.currentThread().setContextClassLoader(ClassLoader.getPlatformClassLoader());
    Config config = new Config();
    config.setString("s3", null, "store", args[0]);
    config.setString("s3", null, "endpoint", args[1]);
    config.setString("s3", null, "region", "us-east-1");
    config.setBoolean("s3", null, "pathStyle", true);
    try (S3RepositoryManager manager =
        S3RepositoryManager.open(S3Settings.from(config, "arguments"))) {
      manager.createRepository("r").close();
      System.out.println(manager.list());
    }
  }
}
