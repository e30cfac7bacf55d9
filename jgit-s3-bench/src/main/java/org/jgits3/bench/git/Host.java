// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.git;

import java.io.IOException;

/** The repositories of one engine, and the server in front of them. */
public interface Host {
  /**
   * Starts a server that has not served anything.
   *
   * @return the server, to be closed
   * @throws IOException if it does not start
   * @throws InterruptedException if the thread was interrupted
   */
  ServerJvm start() throws IOException, InterruptedException;

  /**
   * Makes a repository to push to.
   *
   * @param name its name
   * @throws IOException if that fails
   * @throws InterruptedException if the thread was interrupted
   */
  void create(String name) throws IOException, InterruptedException;

  /**
   * Deletes a repository, with its objects.
   *
   * @param name its name
   * @throws IOException if that fails
   */
  void delete(String name) throws IOException;
}
