// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.pack.file;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystemException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import org.jgits3.internal.store.file.LocalPermissions;
import org.jgits3.manifest.ObjectNames;

/**
 * Directory for packs being received that are too large for memory: one file each, deleted when it
 * is closed.
 *
 * <p>On all kinds of Unix the name of a file is removed as soon as the file is open, so that the
 * file disappears even when the process is killed. Windows deletes the file in that case. Safe for
 * use by many threads and processes.
 */
public final class SpillDirectory {
  private static final String PREFIX = "jgit-s3-";
  private static final String SUFFIX = ".spill";
  private static final int RANDOM_BYTES = 10;

  private static final Set<OpenOption> OPTIONS =
      Set.of(
          StandardOpenOption.CREATE_NEW,
          StandardOpenOption.READ,
          StandardOpenOption.WRITE,
          StandardOpenOption.DELETE_ON_CLOSE);

  private final Path directory;

  /**
   * Uses a directory, which is not touched before it is needed.
   *
   * @param directory existing directory that the process can write to
   */
  public SpillDirectory(Path directory) {
    this.directory = directory;
  }

  /**
   * Opens a file that only the user of this process can read.
   *
   * @return the file, which is deleted when it is closed
   * @throws IOException if it cannot be created
   */
  FileChannel open() throws IOException {
    Path file = directory.resolve(PREFIX + ObjectNames.random(RANDOM_BYTES) + SUFFIX);
    try {
      return FileChannel.open(file, OPTIONS, LocalPermissions.ownerOnly(directory));
    } catch (IOException e) {
      throw failed("cannot be made", e);
    }
  }

  /**
   * Creates a one-line failure for the client that pushes and for the log.
   *
   * @param what action that failed
   * @param cause cause, such as a full disk
   */
  IOException failed(String what, IOException cause) {
    return new IOException(
        "the file for a received pack in "
            + directory
            + " "
            + what
            + ", see [s3 \"receive\"] spillDirectory: "
            + (cause instanceof FileSystemException ? cause.toString() : cause.getMessage()),
        cause);
  }
}
