// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.git;

/** Operations of a client, in their order on a server that has just started. */
enum GitCase {
  /** The first clone that a server serves. */
  CLONE_COLD("clone, cold"),
  /** Clones after the first. */
  CLONE_WARM("clone, warm"),
  /** A push of all of the repository into an empty one. */
  PUSH("push");

  private final String title;

  GitCase(String title) {
    this.title = title;
  }

  /** Name in the results. */
  String title() {
    return title;
  }
}
