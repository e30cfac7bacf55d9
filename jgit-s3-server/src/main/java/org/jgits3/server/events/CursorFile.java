// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.events;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import org.jgits3.history.StoreCursor;

/**
 * File that keeps a cursor. It is replaced as a whole, and forced to the disk before it gets its
 * name, so that it has the old cursor or the new one whenever the process ends.
 *
 * @param file the file
 */
public record CursorFile(Path file) {
  /** Reads the cursor; empty if there is no file. */
  public Optional<StoreCursor> read() throws IOException {
    try {
      return Optional.of(StoreCursor.parse(Files.readAllBytes(file)));
    } catch (NoSuchFileException e) {
      return Optional.empty();
    } catch (IOException e) {
      throw new IOException(file + ": " + e.getMessage(), e);
    }
  }

  /** Replaces the cursor. */
  public void write(StoreCursor cursor) throws IOException {
    Path absolute = file.toAbsolutePath();
    if (!Files.isDirectory(absolute.getParent())) {
      throw new IOException(file + ": the directory of the cursor does not exist");
    }
    Path next = absolute.resolveSibling(absolute.getFileName() + ".new");
    try {
      try (FileChannel channel =
          FileChannel.open(
              next,
              StandardOpenOption.CREATE,
              StandardOpenOption.TRUNCATE_EXISTING,
              StandardOpenOption.WRITE)) {
        ByteBuffer bytes = ByteBuffer.wrap(cursor.toBytes());
        while (bytes.hasRemaining()) {
          channel.write(bytes);
        }
        channel.force(true);
      }
      Files.move(next, absolute, StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      throw new IOException(file + ": the cursor cannot be written: " + e.getMessage(), e);
    }
  }
}
