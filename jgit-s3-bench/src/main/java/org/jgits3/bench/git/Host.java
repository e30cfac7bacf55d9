// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.git;

import java.io.IOException;

/** The repositories of one engine, and the server in front of them. */
interface Host {
  /** Starts a server that has not served anything. */
  ServerJvm start() throws IOException, InterruptedException;

  /** Makes a repository to push to. */
  void create(String name) throws IOException, InterruptedException;

  /** Deletes a repository, with its objects. */
  void delete(String name) throws IOException;
}
