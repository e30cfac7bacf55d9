// SPDX-License-Identifier: Apache-2.0
package org.jgits3.transfer;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.stream.Stream;
import org.eclipse.jgit.lib.ProgressMonitor;
import org.eclipse.jgit.util.FileUtils;
import org.jgits3.S3Repository;

/**
 * Writes a repository as a bare one in a directory, for Git: one pack with the reachable objects,
 * the refs of one moment, {@code HEAD} and other symbolic ones among them, configuration and
 * description. Updates then add what is new.
 *
 * <p>The repository is written to {@code DIR.part.lock} beside the directory, forced to the disk,
 * and renamed when it is complete. The next export to the directory removes the remains of a killed
 * one, which it recognises by the lock file. Used by one thread.
 */
public final class Exporter {
  /** Not the end of any name of a repository. The longest name has room for it. */
  private static final String SUFFIX = ".part.lock";

  private static final String LOCK = "export.lock";

  private final ProgressMonitor monitor;

  /**
   * Creates an exporter.
   *
   * @param monitor receives progress
   */
  public Exporter(ProgressMonitor monitor) {
    this.monitor = monitor;
  }

  /**
   * Size of an exported repository.
   *
   * @param refs number of refs, {@code HEAD} not counted
   * @param objects number of objects
   * @param bytes bytes of the pack
   */
  public record Exported(int refs, long objects, long bytes) {}

  /**
   * Exports a repository.
   *
   * @param repository the repository
   * @param directory target directory: missing or empty
   * @return its size
   * @throws FileAlreadyExistsException if the directory is not empty, or {@code DIR.part.lock}
   *     exists and is not the remains of an export; nothing was changed
   * @throws IOException if the repository cannot be read, or the directory cannot be written
   */
  public Exported run(S3Repository repository, Path directory) throws IOException {
    Path target = directory.toAbsolutePath().normalize();
    checkFree(target);
    Path parent = Files.createDirectories(parent(target));
    Path staging = parent.resolve(target.getFileName() + SUFFIX);
    claim(staging);
    try (FileChannel file =
            FileChannel.open(
                staging.resolve(LOCK),
                StandardOpenOption.CREATE,
                StandardOpenOption.WRITE,
                LinkOption.NOFOLLOW_LINKS);
        FileLock lock = file.tryLock()) {
      if (lock == null) {
        throw new IOException(staging + ": another export is writing there");
      }
      clear(staging);
      Exported exported = new BareDirectory(staging).write(repository, monitor);
      publish(staging, target);
      Files.delete(target.resolve(LOCK)); // last, because it marks the remains of an export
      DurableFiles.sync(target);
      return exported;
    }
  }

  /**
   * Tests whether a repository in a directory has all refs of one in the store, {@code HEAD} too,
   * and no others.
   *
   * @param repository the one in the store
   * @param directory the one in the directory
   * @return true if so
   * @throws IOException if one of the two cannot be read
   */
  public boolean isEqual(S3Repository repository, Path directory) throws IOException {
    return LocalSource.refsOf(directory).isSame(BareDirectory.refsOf(repository));
  }

  /**
   * Brings a repository in a directory to the refs of one in the store: copies the objects that its
   * own refs do not lead to as one pack, then sets refs and {@code HEAD}, and deletes refs that the
   * one in the store does not have. Configuration and description stay. An update that was killed
   * is repeated by another one; until then the directory has all objects that its refs lead to. A
   * kill while refs are set may leave files {@code *.lock}, which the caller deletes.
   *
   * @param repository the one in the store
   * @param directory the one in the directory, which has all objects that its refs lead to; nothing
   *     else writes to it meanwhile
   * @throws IOException if one of the two cannot be read, the directory is shallow, or cannot be
   *     written or has changed meanwhile
   */
  public void update(S3Repository repository, Path directory) throws IOException {
    new DirectoryUpdate(repository, directory, monitor).run();
  }

  private static Path parent(Path target) throws IOException {
    if (target.getParent() == null) {
      throw new IOException(target + ": cannot be exported to");
    }
    return target.getParent();
  }

  private static void checkFree(Path target) throws IOException {
    if (!Files.exists(target, LinkOption.NOFOLLOW_LINKS)) {
      return;
    }
    if (Files.isSymbolicLink(target)) {
      throw new FileAlreadyExistsException(
          target + ": is a symbolic link; name the directory itself");
    }
    if (Files.isDirectory(target)) {
      try (Stream<Path> content = Files.list(target)) {
        if (content.findAny().isEmpty()) {
          return;
        }
      }
      throw new FileAlreadyExistsException(
          target + ": is not empty; choose a new or an empty directory");
    }
    throw new FileAlreadyExistsException(target + ": is not a directory");
  }

  /** Creates the staging directory, unless it is empty or has the remains of an export. */
  private static void claim(Path staging) throws IOException {
    if (!Files.exists(staging, LinkOption.NOFOLLOW_LINKS)) {
      Files.createDirectories(staging);
      return;
    }
    if (!Files.isDirectory(staging, LinkOption.NOFOLLOW_LINKS)) {
      throw new FileAlreadyExistsException(
          staging + ": is where the export would grow, and is not a directory; move it away");
    }
    List<Path> found;
    try (Stream<Path> content = Files.list(staging)) {
      found = content.toList();
    }
    Path lock = staging.resolve(LOCK);
    boolean left = found.contains(lock) && Files.isRegularFile(lock, LinkOption.NOFOLLOW_LINKS);
    if (!found.isEmpty() && !left) {
      throw new FileAlreadyExistsException(
          staging
              + ": is where the export would grow, and holds what no export has left; move it away");
    }
  }

  /** Removes the remains of an export that was killed. */
  private static void clear(Path staging) throws IOException {
    try (Stream<Path> content = Files.list(staging)) {
      for (Path path : content.filter(p -> !p.endsWith(LOCK)).toList()) {
        FileUtils.delete(path.toFile(), FileUtils.RECURSIVE);
      }
    }
  }

  private static void publish(Path staging, Path target) throws IOException {
    Files.move(staging, target, StandardCopyOption.ATOMIC_MOVE);
    DurableFiles.sync(parent(target));
  }
}
