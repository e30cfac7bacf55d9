// SPDX-License-Identifier: Apache-2.0
package org.jgits3.gerrit.e2e.writers;

import java.io.IOException;
import org.eclipse.jgit.errors.ConfigInvalidException;
import org.eclipse.jgit.lib.Config;
import org.jgits3.S3RepositoryManager;
import org.jgits3.S3Settings;

/** The bucket of a run. */
public final class Bucket {
  public static final String NAME = "my-bucket";
  public static final String KEY = "jgits3-e2e";
  public static final String SECRET = "jgits3-e2e-secret";

  private Bucket() {}

  /** Opens the store of the Gerrits by the port of its server. */
  public static S3RepositoryManager open(int port) throws IOException, ConfigInvalidException {
    Config config = new Config();
    config.setString("s3", null, "store", "s3://" + NAME + "/git");
    config.setString("s3", null, "endpoint", "http://127.0.0.1:" + port);
    config.setString("s3", null, "region", "us-east-1");
    config.setString("s3", null, "pathStyle", "true");
    System.setProperty("aws.accessKeyId", KEY);
    System.setProperty("aws.secretAccessKey", SECRET);
    return S3RepositoryManager.open(S3Settings.from(config, "arguments"));
  }
}
