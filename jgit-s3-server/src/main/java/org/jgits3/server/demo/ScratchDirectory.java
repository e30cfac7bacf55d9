// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.demo;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.eclipse.jgit.util.FileUtils;

/** A temporary directory that goes with its owner, also if the process is told to stop. */
public final class ScratchDirectory implements Closeable {
  private final Path path;
  private final Thread atExit;

  /**
   * Makes a directory.
   *
   * @param prefix what its name begins with
   * @throws IOException if it cannot be made
   */
  public ScratchDirectory(String prefix) throws IOException {
    path = Files.createTempDirectory(prefix);
    atExit = new Thread(this::deleteAtExit, "jgit-s3-scratch");
    Runtime.getRuntime().addShutdownHook(atExit);
  }

  Path resolve(String name) {
    return path.resolve(name);
  }

  /**
   * Where it is.
   *
   * @return the directory
   */
  public Path path() {
    return path;
  }

  @Override
  public void close() throws IOException {
    delete();
    try {
      Runtime.getRuntime().removeShutdownHook(atExit);
    } catch (IllegalStateException e) {
      // The process is stopping already; the hook finds nothing left to delete.
      return;
    }
  }

  private void deleteAtExit() {
    try {
      delete();
    } catch (IOException e) {
      System.err.println("jgit-s3: " + path + " is left behind: " + e.getMessage());
    }
  }

  private void delete() throws IOException {
    FileUtils.delete(path.toFile(), FileUtils.RECURSIVE | FileUtils.SKIP_MISSING | FileUtils.RETRY);
  }
}
