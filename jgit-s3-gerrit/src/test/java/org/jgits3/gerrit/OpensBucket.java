// SPDX-License-Identifier: Apache-2.0
package org.jgits3.gerrit;

import java.io.File;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import org.eclipse.jgit.lib.Config;
import org.jgits3.S3RepositoryManager;
import org.jgits3.S3Settings;

/** Creates a repository in a bucket, with the classes of the jar and its default credentials. */
public final class OpensBucket {
  private OpensBucket() {}

  /**
   * Loads the jar as Gerrit loads those of {@code SITE/lib}: by a class loader that is neither that
   * of the system nor the context class loader of threads, as those of the common pool.
   *
   * @param args store, endpoint, paths of the jars of Gerrit, and of the jar and this class
   */
  public static void main(String[] args) throws Exception {
    ClassLoader platform = ClassLoader.getPlatformClassLoader();
    Thread.currentThread().setContextClassLoader(platform);
    try (URLClassLoader gerrit = new URLClassLoader(urls(args[2]), platform);
        URLClassLoader site = new URLClassLoader(urls(args[3]), gerrit)) {
      Class<?> inSite = site.loadClass(OpensBucket.class.getName());
      inSite.getMethod("open", String.class, String.class).invoke(null, args[0], args[1]);
    }
  }

  private static URL[] urls(String paths) throws MalformedURLException {
    String[] each = paths.split(File.pathSeparator, -1);
    URL[] urls = new URL[each.length];
    for (int i = 0; i < each.length; i++) {
      urls[i] = Path.of(each[i]).toUri().toURL();
    }
    return urls;
  }

  /** Creates the repository, and prints the names of all. */
  public static void open(String store, String endpoint) throws Exception {
    Config config = new Config();
    config.setString("s3", null, "store", store);
    config.setString("s3", null, "endpoint", endpoint);
    config.setString("s3", null, "region", "us-east-1");
    config.setBoolean("s3", null, "pathStyle", true);
    try (S3RepositoryManager manager =
        S3RepositoryManager.open(S3Settings.from(config, "arguments"))) {
      manager.createRepository("r").close();
      System.out.println(manager.list());
    }
  }
}
