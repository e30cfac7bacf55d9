// SPDX-License-Identifier: Apache-2.0
package org.jgits3.transfer;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Set;
import org.eclipse.jgit.internal.storage.file.RefDirectory;
import org.eclipse.jgit.lib.Constants;
import org.eclipse.jgit.lib.Ref;
import org.eclipse.jgit.lib.Repository;
import org.jgits3.internal.store.file.LiveTreeVisitor;

/**
 * Checks that JGit has read all refs that a directory holds as files. JGit skips a loose ref whose
 * name or content it cannot read, and takes its older value in {@code packed-refs} if there is one.
 * Used by one thread.
 */
final class RefFiles extends LiveTreeVisitor {
  private final Repository repository;
  private final Set<String> read;
  private final Path directory;

  /**
   * Creates a check.
   *
   * @param repository the repository
   * @param read names of the refs that were read from files of their own, not from {@code
   *     packed-refs}
   */
  RefFiles(Repository repository, Set<String> read) {
    this.repository = repository;
    this.read = read;
    this.directory = repository.getCommonDirectory().toPath();
  }

  /**
   * Checks all files, if the repository stores refs in files.
   *
   * @throws IOException if a file holds a ref that was not read; the message names it
   */
  void check() throws IOException {
    if (repository.getRefDatabase() instanceof RefDirectory) {
      Path loose = directory.resolve(Constants.R_REFS);
      if (Files.isDirectory(loose)) {
        Files.walkFileTree(loose, this);
      }
    }
  }

  @Override
  public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
    String last = file.getFileName().toString();
    boolean none = last.startsWith(".") || last.endsWith(".lock"); // as Git sees it
    String name = directory.relativize(file).toString().replace('\\', '/');
    if (!none && !read.contains(name)) {
      checkUnread(file, name);
    }
    return FileVisitResult.CONTINUE;
  }

  /** Accepts an unread file that is new, or a symbolic ref without a target; refuses any other. */
  private void checkUnread(Path file, String name) throws IOException {
    IOException cause = null;
    try {
      Ref ref = repository.exactRef(name);
      if (ref != null && ref.getStorage() != Ref.Storage.PACKED) {
        return;
      }
    } catch (IOException e) {
      cause = e;
    }
    if (Files.exists(file)) {
      throw new IOException(
          file
              + ": no ref can be read from it; repair it or delete it, see git fsck, or change its"
              + " name if that is not UTF-8",
          cause);
    }
  }
}
