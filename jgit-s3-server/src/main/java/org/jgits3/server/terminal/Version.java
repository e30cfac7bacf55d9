// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.terminal;

import org.eclipse.jgit.lib.Repository;
import picocli.CommandLine.IVersionProvider;

/** Version of the program and of the JGit in it, from the manifests of their jars. */
public final class Version implements IVersionProvider {
  @Override
  public String[] getVersion() {
    return new String[] {
      "jgit-s3 " + program() + " (JGit " + jgit() + ")",
    };
  }

  /** Version of the program. */
  public static String program() {
    return of(Version.class);
  }

  /** Version of the JGit in it. */
  public static String jgit() {
    return of(Repository.class);
  }

  private static String of(Class<?> type) {
    String version = type.getPackage().getImplementationVersion();
    return version == null ? "unknown" : version;
  }
}
