// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.store.file;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/**
 * Who may read what is written to a local disk: the bytes of repositories, which not every user of
 * the machine may see. Where the file system knows of no permissions, as on Windows, those of the
 * directory above count. Safe for use by many threads.
 */
public final class LocalPermissions {
  private static final Set<PosixFilePermission> OWNER =
      PosixFilePermissions.fromString("rw-------");
  private static final Set<PosixFilePermission> GROUP =
      PosixFilePermissions.fromString("rw-r-----");
  private static final Set<PosixFilePermission> OWNERS_DIRECTORY =
      PosixFilePermissions.fromString("rwx------");

  private LocalPermissions() {}

  /**
   * For a new file that only the user of this process can read.
   *
   * @param directory where it is made
   * @return what to make it with
   */
  public static FileAttribute<?>[] ownerOnly(Path directory) {
    return attributes(directory, OWNER);
  }

  /** Makes a directory, and those above it, for the user of this process; if there is none. */
  public static void createDirectories(Path directory) throws IOException {
    if (!Files.isDirectory(directory)) {
      Files.createDirectories(directory, attributes(directory, OWNERS_DIRECTORY));
    }
  }

  /**
   * For a new file in a directory that several users may share: those in its group do if they can
   * write to it, and can read the file then.
   *
   * @param directory existing directory
   */
  public static FileAttribute<?>[] sharedAs(Path directory) throws IOException {
    return isPosix(directory) ? attributes(directory, permissionsIn(directory)) : attributes();
  }

  /**
   * Takes from a file what {@link #sharedAs} would not give it.
   *
   * @param file existing file of the user of this process
   */
  public static void tighten(Path file) throws IOException {
    if (!isPosix(file)) {
      return;
    }
    Set<PosixFilePermission> found = Files.getPosixFilePermissions(file, LinkOption.NOFOLLOW_LINKS);
    if (Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)
        && found.retainAll(permissionsIn(file.toAbsolutePath().getParent()))) {
      Files.setPosixFilePermissions(file, found);
    }
  }

  private static Set<PosixFilePermission> permissionsIn(Path directory) throws IOException {
    boolean shared =
        Files.getPosixFilePermissions(directory).contains(PosixFilePermission.GROUP_WRITE);
    return shared ? GROUP : OWNER;
  }

  private static FileAttribute<?>[] attributes(
      Path directory, Set<PosixFilePermission> permissions) {
    return isPosix(directory)
        ? attributes(PosixFilePermissions.asFileAttribute(permissions))
        : attributes();
  }

  private static FileAttribute<?>[] attributes(FileAttribute<?>... attributes) {
    return attributes;
  }

  private static boolean isPosix(Path path) {
    return path.getFileSystem().supportedFileAttributeViews().contains("posix");
  }
}
