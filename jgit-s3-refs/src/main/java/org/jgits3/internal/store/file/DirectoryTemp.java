// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.store.file;

import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Files that one open store is still writing. They live in a directory of that store, beside a lock
 * file that it holds while it is open. A directory whose lock is free belonged to a process that
 * died, and is removed. No clock is involved.
 *
 * <p>Safe for use by many threads.
 */
final class DirectoryTemp implements Closeable {
  private static final Logger LOG = LoggerFactory.getLogger(DirectoryTemp.class);
  private static final String LOCK = "lock";

  /**
   * Directories in use by this JVM. Their lock files must not even be opened here, since closing
   * them again would release the lock.
   */
  private static final Set<Path> IN_USE = ConcurrentHashMap.newKeySet();

  private final DirectoryLayout layout;
  private final DirectoryLocks locks;
  private FileChannel lock;
  private Path directory;
  private boolean closed;

  DirectoryTemp(DirectoryLayout layout, DirectoryLocks locks) {
    this.layout = layout;
    this.locks = locks;
  }

  /** Unused name for a new file or directory. */
  Path newName() throws IOException {
    return directory().resolve(randomName());
  }

  /** 128 random bits in hex. */
  static String randomName() {
    return UUID.randomUUID().toString().replace("-", "");
  }

  private synchronized Path directory() throws IOException {
    if (closed) {
      throw new ClosedChannelException();
    }
    if (directory == null) {
      directory = locks.withTemp(this::createDirectory);
    }
    return directory;
  }

  private Path createDirectory() throws IOException {
    Path dir = layout.temp().resolve(randomName());
    Files.createDirectories(dir);
    FileChannel channel =
        FileChannel.open(
            dir.resolve(LOCK), StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
    try {
      channel.lock();
      IN_USE.add(dir);
      lock = channel;
      return dir;
    } catch (IOException e) {
      channel.close();
      throw e;
    }
  }

  /** Removes the directories of processes that died. */
  void removeLeftovers() throws IOException {
    if (Files.notExists(layout.temp())) {
      return;
    }
    locks.withTemp(
        () -> {
          try (DirectoryStream<Path> each = Files.newDirectoryStream(layout.temp())) {
            for (Path dir : each) {
              if (!IN_USE.contains(dir)) {
                removeIfAbandoned(dir);
              }
            }
          }
          return null;
        });
  }

  private static void removeIfAbandoned(Path dir) throws IOException {
    try (FileChannel channel =
        FileChannel.open(dir.resolve(LOCK), StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
      if (channel.tryLock() != null) {
        DirectoryFiles.deleteTree(dir);
      }
    }
  }

  /** Leaves files that a thread still writes to {@link #removeLeftovers} of a later store. */
  private static void deleteUnlessInUse(Path directory) throws IOException {
    try {
      DirectoryFiles.deleteTree(directory);
    } catch (DirectoryNotEmptyException e) {
      LOG.debug("{} stays for now: something is being written there", directory);
    }
  }

  @Override
  public synchronized void close() throws IOException {
    closed = true;
    if (directory == null) {
      return;
    }
    locks.withTemp(
        () -> {
          lock.close();
          IN_USE.remove(directory);
          deleteUnlessInUse(directory);
          return null;
        });
    directory = null;
  }
}
