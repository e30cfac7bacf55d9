// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.store.file;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/**
 * Permissions of files on a local disk. They hold bytes of repositories, which not every user of
 * the machine may see. On a file system without POSIX permissions, as on Windows, files inherit
 * those of their directory. Safe for use by many threads.
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
   * Attributes of a new file that only the user of this process can read.
   *
   * @param directory directory of the file
   * @return attributes to create it with
   */
  public static FileAttribute<?>[] ownerOnly(Path directory) {
    return attributes(directory, OWNER);
  }

  /** Creates a directory and its missing parents for the user of this process only. */
  public static void createDirectories(Path directory) throws IOException {
    if (!Files.isDirectory(directory)) {
      Files.createDirectories(directory, attributes(directory, OWNERS_DIRECTORY));
    }
  }

  /**
   * Attributes of a new file in a directory that several users may share: if the group of the
   * directory can write to it, the group can read the file.
   *
   * @param directory existing directory
   */
  public static FileAttribute<?>[] sharedAs(Path directory) throws IOException {
    boolean shared =
        isPosix(directory)
            && Files.getPosixFilePermissions(directory).contains(PosixFilePermission.GROUP_WRITE);
    return attributes(directory, shared ? GROUP : OWNER);
  }

  private static FileAttribute<?>[] attributes(
      Path directory, Set<PosixFilePermission> permissions) {
    return isPosix(directory)
        ? new FileAttribute<?>[] {PosixFilePermissions.asFileAttribute(permissions)}
        : new FileAttribute<?>[0];
  }

  private static boolean isPosix(Path path) {
    return path.getFileSystem().supportedFileAttributeViews().contains("posix");
  }
}
