// SPDX-License-Identifier: Apache-2.0
package org.jgits3.gerrit.follow;

import com.google.gerrit.server.config.SitePaths;
import com.google.inject.Inject;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import org.jgits3.history.HistoryUnavailableException;
import org.jgits3.history.StoreCursor;

/** File of a site with the position up to which its indexes have followed the store. */
final class CursorFile {
  private static final String NAME = "jgit-s3-followed";

  private final Path file;

  @Inject
  CursorFile(SitePaths site) {
    this(site.data_dir.resolve(NAME));
  }

  CursorFile(Path file) {
    this.file = file;
  }

  /**
   * Reads the position.
   *
   * @return the position; empty if none was ever saved
   * @throws HistoryUnavailableException if the file is damaged
   * @throws IOException if it cannot be read
   */
  Optional<StoreCursor> load() throws IOException {
    try {
      return Optional.of(StoreCursor.parse(Files.readAllBytes(file)));
    } catch (NoSuchFileException e) {
      return Optional.empty();
    }
  }

  /**
   * Replaces the position. Called once all indexes are durable; a crash leaves the former or the
   * new position.
   *
   * @param followed the position
   * @throws IOException if it cannot be written; the former one stays
   */
  void save(StoreCursor followed) throws IOException {
    Path unfinished = file.resolveSibling(file.getFileName() + ".tmp");
    try (FileChannel channel =
        FileChannel.open(
            unfinished,
            StandardOpenOption.CREATE,
            StandardOpenOption.TRUNCATE_EXISTING,
            StandardOpenOption.WRITE)) {
      ByteBuffer bytes = ByteBuffer.wrap(followed.toBytes());
      while (bytes.hasRemaining()) {
        channel.write(bytes);
      }
      channel.force(true);
    }
    Files.move(
        unfinished, file, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
  }

  @Override
  public String toString() {
    return file.toString();
  }
}
