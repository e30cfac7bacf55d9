// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.store.file;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import org.jgits3.internal.function.IoRunnable;

/** Operations on local files; those of a {@link DirectoryObjectStore} survive a power failure. */
public final class DirectoryFiles {
  /** Bytes per call; the JDK keeps a native buffer as large as the largest call of each thread. */
  static final int CHUNK = 128 << 10;

  private static final int MOVE_ATTEMPTS = 100;

  private DirectoryFiles() {}

  /** Writes a new file and waits until its bytes are on the disk. */
  static void write(Path file, byte[] src, int offset, int length) throws IOException {
    try (FileChannel channel =
        FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
      append(channel, src, offset, length);
      channel.force(true);
    }
  }

  /** Writes all bytes of a slice. */
  public static void append(FileChannel channel, byte[] src, int offset, int length)
      throws IOException {
    for (int done = 0; done < length; ) {
      done += channel.write(ByteBuffer.wrap(src, offset + done, Math.min(CHUNK, length - done)));
    }
  }

  static void append(FileChannel channel, InputStream in) throws IOException {
    byte[] chunk = new byte[CHUNK];
    for (int n = in.read(chunk); n >= 0; n = in.read(chunk)) {
      append(channel, chunk, 0, n);
    }
  }

  /** Reads as many bytes as a slice has. */
  public static void readFully(
      FileChannel channel, long position, byte[] dst, int offset, int length) throws IOException {
    for (int done = 0; done < length; ) {
      ByteBuffer chunk = ByteBuffer.wrap(dst, offset + done, Math.min(CHUNK, length - done));
      int n = channel.read(chunk, position + done);
      if (n < 0) {
        throw new EOFException("file ends at " + (position + done));
      }
      done += n;
    }
  }

  /**
   * Moves a file to its name in one step, and replaces a file of that name. Creates the directories
   * above; another process may be removing them at the same time, because they became empty.
   */
  static void move(Path source, Path target) throws IOException {
    move(source, target, () -> {});
  }

  /**
   * As {@link #move(Path, Path)}, with an action between creating the directories and moving the
   * file.
   */
  static void move(Path source, Path target, IoRunnable first) throws IOException {
    for (int attempt = 1; ; attempt++) {
      try {
        Files.createDirectories(target.getParent());
        first.run();
        Files.move(source, target, StandardCopyOption.ATOMIC_MOVE);
        return;
      } catch (NoSuchFileException | FileAlreadyExistsException e) {
        if (attempt == MOVE_ATTEMPTS || Files.notExists(source)) {
          throw e;
        }
      }
    }
  }

  /** Waits until the entries of a directory are on disk; one that is gone has none. */
  static void forceDirectory(Path dir) throws IOException {
    try (FileChannel channel = FileChannel.open(dir, StandardOpenOption.READ)) {
      channel.force(true);
    } catch (NoSuchFileException e) {
      return;
    }
  }

  /**
   * Removes a directory if it is empty.
   *
   * @return true if there is nothing under the name now
   */
  static boolean removeIfEmpty(Path dir) throws IOException {
    if (!Files.isDirectory(dir, LinkOption.NOFOLLOW_LINKS)) {
      return Files.notExists(dir, LinkOption.NOFOLLOW_LINKS);
    }
    try {
      Files.deleteIfExists(dir);
      return true;
    } catch (DirectoryNotEmptyException e) {
      return false;
    }
  }

  /** Deletes a directory and everything in it. */
  static void deleteTree(Path dir) throws IOException {
    Files.walkFileTree(
        dir,
        new LiveTreeVisitor() {
          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
              throws IOException {
            Files.deleteIfExists(file);
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult postVisitDirectory(Path each, IOException failure)
              throws IOException {
            if (failure != null) {
              throw failure;
            }
            Files.deleteIfExists(each);
            return FileVisitResult.CONTINUE;
          }
        });
  }

  /** Reason of a failure in one line, for messages. */
  static String reason(IOException e) {
    if (e instanceof AccessDeniedException) {
      return "permission denied";
    }
    if (e instanceof NoSuchFileException) {
      return "no such file or directory: " + e.getMessage();
    }
    if (e instanceof FileAlreadyExistsException) {
      return "not a directory: " + e.getMessage();
    }
    if (e instanceof ClosedChannelException) {
      return "interrupted, or the store was closed";
    }
    String reason = e instanceof FileSystemException f ? f.getReason() : e.getMessage();
    return reason == null ? e.toString() : reason;
  }
}
