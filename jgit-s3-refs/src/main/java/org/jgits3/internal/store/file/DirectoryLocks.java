// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.store.file;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jgits3.internal.function.IoSupplier;

/**
 * Mutual exclusion of the writers of one key, over all threads and processes of the machine.
 *
 * <p>Keys share 256 lock files. The operating system releases a lock when its process dies, so no
 * lock is ever left behind; the empty files stay.
 *
 * <p>Safe for use by many threads.
 */
final class DirectoryLocks {
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(60);
  private static final int MIN_PAUSE_MICROS = 50;
  private static final int MAX_PAUSE_MICROS = 500;

  private final Path directory;

  DirectoryLocks(Path directory) {
    this.directory = directory;
  }

  /** Runs an action under the lock of a key, which no other thread or process holds meanwhile. */
  <T> T withKey(String key, IoSupplier<T> action) throws IOException {
    Path file = directory.resolve(String.format("%02x", key.hashCode() & 0xff));
    // A file lock belongs to the process, and closing ANY channel of the file releases it: the
    // threads of one JVM have to exclude each other first. An interned string is the one object
    // that is shared by all instances, even by those of different class loaders.
    synchronized (("org.jgits3.internal.store.file.DirectoryLocks " + file).intern()) {
      FileChannel channel = openOrCreate(file);
      try {
        lock(channel);
        return action.get();
      } finally {
        release(channel);
      }
    }
  }

  private FileChannel openOrCreate(Path file) throws IOException {
    try {
      return FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    } catch (NoSuchFileException e) {
      Files.createDirectories(directory);
      return FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    }
  }

  /**
   * Waits for the lock by polling. {@link FileChannel#lock()} would be simpler, but the system
   * detects deadlocks between processes, not threads: it reports one where there is none to two
   * processes with two threads each, on two keys.
   */
  private static void lock(FileChannel channel) throws IOException {
    long start = System.nanoTime();
    FileLock lock = channel.tryLock();
    while (lock == null) {
      if (System.nanoTime() - start > PATIENCE_NANOS) {
        throw new IOException("another process has held the lock for a minute; is it stopped?");
      }
      LockSupport.parkNanos(
          TimeUnit.MICROSECONDS.toNanos(
              ThreadLocalRandom.current().nextInt(MIN_PAUSE_MICROS, MAX_PAUSE_MICROS)));
      lock = channel.tryLock();
    }
  }

  @SuppressWarnings("EmptyCatch")
  private static void release(FileChannel channel) {
    try {
      channel.close();
    } catch (IOException e) {
      // Even if close fails, the descriptor and with it the lock are gone. Nothing was written
      // through the descriptor, and the action is complete, so there is nothing to report.
    }
  }
}
