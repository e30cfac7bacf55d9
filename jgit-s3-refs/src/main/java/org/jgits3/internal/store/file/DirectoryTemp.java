// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.store.file;

import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Names of files that are being written. A process that dies leaves such files behind; a store that
 * is opened a day later removes them. Nothing else depends on the clock: if a process sleeps for a
 * day in the middle of a write, its file is gone, and the write is refused.
 *
 * <p>Safe for use by many threads.
 */
final class DirectoryTemp {
  private static final Logger LOG = LoggerFactory.getLogger(DirectoryTemp.class);
  private static final Duration ABANDONED = Duration.ofDays(1);

  private final Path directory;
  private volatile boolean closed;

  DirectoryTemp(Path directory) {
    this.directory = directory;
  }

  /** Unused name for a new file or directory. */
  Path newName() throws IOException {
    if (closed) {
      throw new ClosedChannelException();
    }
    Files.createDirectories(directory);
    return directory.resolve(randomName());
  }

  /** 128 random bits in hex. */
  static String randomName() {
    return UUID.randomUUID().toString().replace("-", "");
  }

  /** Removes what has not been modified for a day. */
  void removeLeftovers() throws IOException {
    if (Files.notExists(directory)) {
      return;
    }
    long abandoned = System.currentTimeMillis() - ABANDONED.toMillis();
    try (DirectoryStream<Path> files = Files.newDirectoryStream(directory)) {
      for (Path file : files) {
        if (file.toFile().lastModified() < abandoned) { // 0 if it has vanished
          DirectoryFiles.deleteTree(file);
        }
      }
    }
  }

  /**
   * Removes a file that was not moved away. If this fails, a store that is opened a day later
   * removes it.
   */
  void remove(Path file) {
    try {
      Files.deleteIfExists(file);
    } catch (IOException e) {
      LOG.warn("{}: cannot remove this temporary file", file, e);
    }
  }

  /** Gives no more names. */
  void close() {
    closed = true;
  }
}
