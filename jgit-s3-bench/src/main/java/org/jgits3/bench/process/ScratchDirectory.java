// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.process;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.eclipse.jgit.util.FileUtils;

/**
 * A directory whose contents do not outlive its use: {@link #close} deletes it, and so does the end
 * of the JVM. Thread-safe.
 */
public final class ScratchDirectory implements Closeable {
  private final Path path;

  private ScratchDirectory(Path path) {
    this.path = path;
  }

  /**
   * Creates a directory that is empty.
   *
   * @param path where; what is there is deleted
   * @return the directory
   * @throws IOException if it cannot be emptied or created
   */
  public static ScratchDirectory create(Path path) throws IOException {
    ScratchDirectory scratch = new ScratchDirectory(path);
    Leftovers.add(scratch);
    try {
      delete(path);
      Files.createDirectories(path);
      return scratch;
    } catch (IOException e) {
      Leftovers.remove(scratch);
      throw e;
    }
  }

  /**
   * Deletes a directory, or any file, if it is there.
   *
   * @param path what to delete
   * @throws IOException if something in it cannot be deleted
   */
  public static void delete(Path path) throws IOException {
    FileUtils.delete(path.toFile(), FileUtils.RECURSIVE | FileUtils.SKIP_MISSING);
  }

  /**
   * Path of the directory.
   *
   * @return its path
   */
  public Path path() {
    return path;
  }

  @Override
  public void close() throws IOException {
    delete(path);
    Leftovers.remove(this);
  }
}
