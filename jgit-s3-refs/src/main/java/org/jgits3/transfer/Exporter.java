// SPDX-License-Identifier: Apache-2.0
package org.jgits3.transfer;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.stream.Stream;
import org.eclipse.jgit.lib.ProgressMonitor;
import org.eclipse.jgit.util.FileUtils;
import org.jgits3.S3Repository;

/**
 * Writes a repository as a bare one in a directory, for Git: one pack of what the refs lead to, the
 * refs of one moment, {@code HEAD} and other symbolic ones among them, shallow commits,
 * configuration and description.
 *
 * <p>It is written to {@code DIR.exporting} beside the directory, brought to the disk, and renamed
 * when it is whole; the next export to the directory removes what a killed one left there. Used by
 * one thread.
 */
public final class Exporter {
  private static final String SUFFIX = ".exporting";
  private static final String LOCK = "export.lock";

  private final ProgressMonitor monitor;

  /**
   * An exporter.
   *
   * @param monitor told of the progress
   */
  public Exporter(ProgressMonitor monitor) {
    this.monitor = monitor;
  }

  /**
   * What was exported.
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
   * @param directory where it goes: missing or empty
   * @return what was exported
   * @throws FileAlreadyExistsException if there is something in the directory
   * @throws IOException if the repository cannot be read, or the directory not be written
   */
  public Exported run(S3Repository repository, Path directory) throws IOException {
    Path target = directory.toAbsolutePath().normalize();
    checkFree(target);
    Path parent = Files.createDirectories(parent(target));
    Path staging = parent.resolve(target.getFileName() + SUFFIX);
    Files.createDirectories(staging);
    try (FileChannel file =
            FileChannel.open(
                staging.resolve(LOCK), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        FileLock lock = file.tryLock()) {
      if (lock == null) {
        throw new IOException(staging + ": another export is writing there");
      }
      clear(staging);
      Exported exported = new BareDirectory(staging).write(repository, monitor);
      Files.delete(staging.resolve(LOCK));
      publish(staging, target);
      return exported;
    }
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

  /** Removes what an export that was killed has left. */
  private static void clear(Path staging) throws IOException {
    try (Stream<Path> content = Files.list(staging)) {
      for (Path path : content.filter(p -> !p.endsWith(LOCK)).toList()) {
        FileUtils.delete(path.toFile(), FileUtils.RECURSIVE);
      }
    }
  }

  private static void publish(Path staging, Path target) throws IOException {
    try {
      Files.move(staging, target, StandardCopyOption.ATOMIC_MOVE);
    } catch (AtomicMoveNotSupportedException e) {
      throw new IOException(
          target + ": is on another file system than " + staging + ", where the export is", e);
    }
    Durable.sync(parent(target));
  }
}
