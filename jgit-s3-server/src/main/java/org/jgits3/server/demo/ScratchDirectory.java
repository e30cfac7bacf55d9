// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.demo;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.eclipse.jgit.util.FileUtils;

/** Temporary directory that is deleted on close. */
public final class ScratchDirectory implements Closeable {
  private final Path path;

  /**
   * Creates a directory.
   *
   * @param prefix prefix of its name
   * @throws IOException if it cannot be created
   */
  public ScratchDirectory(String prefix) throws IOException {
    path = Files.createTempDirectory(prefix);
  }

  Path resolve(String name) {
    return path.resolve(name);
  }

  /**
   * Path of the directory.
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
