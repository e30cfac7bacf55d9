// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.git;

/** Servers of Git. */
public enum GitEngine {
  /** This server on an S3 server. */
  S3("s3"),
  /** This server on a store in a directory. */
  DIRECTORY("directory"),
  /** The same server code, on repositories of JGit on a local disk. */
  JGIT_DISK("jgit-disk"),
  /** C Git's {@code http-backend} on a local disk. */
  C_GIT("c-git");

  private final String id;

  GitEngine(String id) {
    this.id = id;
  }

  /**
   * Name in the results.
   *
   * @return a short word
   */
  public String id() {
    return id;
  }
}
