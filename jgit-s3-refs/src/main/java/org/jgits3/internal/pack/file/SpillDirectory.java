// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.pack.file;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import org.jgits3.internal.store.file.LocalPermissions;
import org.jgits3.manifest.ObjectNames;

/**
 * Where packs that are being received go if they are too large to be kept in memory until they are
 * whole: one file each, gone when it is closed. Nothing else is ever written to a local disk.
 *
 * <p>Where the system allows it, as on all kinds of Unix, a file has no name any more from the
 * moment it was opened, so that it is gone too when the process is killed; elsewhere {@link #clean}
 * removes what is left. Safe for use by many threads and processes.
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
   * A directory; not touched before it is needed.
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
   * @throws IOException if it cannot be made
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
   * The failure of something about a file, in one line for the client that pushes and for the log.
   *
   * @param what what failed
   * @param cause why, such as a full disk
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

  /**
   * Removes what killed processes left. Files that are in use are not harmed: either they have no
   * name any more, or they can be read and written until they are closed.
   *
   * @throws IOException if the directory cannot be read, or a file in it not be deleted
   */
  public void clean() throws IOException {
    if (!Files.isDirectory(directory)) {
      return;
    }
    try (DirectoryStream<Path> left = Files.newDirectoryStream(directory, PREFIX + "*" + SUFFIX)) {
      for (Path file : left) {
        Files.deleteIfExists(file);
      }
    } catch (DirectoryIteratorException e) {
      throw e.getCause();
    }
  }
}
