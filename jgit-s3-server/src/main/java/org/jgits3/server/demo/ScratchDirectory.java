// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.demo;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.eclipse.jgit.util.FileUtils;

/** A temporary directory that goes with its owner. */
public final class ScratchDirectory implements Closeable {
  private final Path path;

  /**
   * Makes a directory.
   *
   * @param prefix what its name begins with
   * @throws IOException if it cannot be made
   */
  public ScratchDirectory(String prefix) throws IOException {
    path = Files.createTempDirectory(prefix);
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
    FileUtils.delete(path.toFile(), FileUtils.RECURSIVE | FileUtils.SKIP_MISSING | FileUtils.RETRY);
  }
}
