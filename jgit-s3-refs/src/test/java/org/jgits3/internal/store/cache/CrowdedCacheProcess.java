// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.store.cache;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.Optional;
import org.jgits3.internal.store.file.DirectoryFiles;
import org.jgits3.internal.store.file.DirectoryObjectStore;
import org.jgits3.store.Crc32c;
import org.jgits3.store.ObjectStore;
import org.jgits3.testing.aid.StoredFiles;

/**
 * A process that can open one file more and no second one, so that a cached object can be opened
 * but the time of its use cannot be noted.
 */
final class CrowdedCacheProcess {
  private static final String KEY = "key";
  private static final byte[] BYTES = {1, 2, 3};

  private CrowdedCacheProcess() {}

  /**
   * Opens a cached object three times, and says how it went each time.
   *
   * @param args directories of the store and of the cache
   */
  public static void main(String[] args) throws Exception {
    Path kept = Path.of(args[1]);
    try (ObjectStore store = new DirectoryObjectStore(Path.of(args[0]));
        DiskCache cache = new DiskCache(store, new DiskCache.Options(kept, 1 << 20))) {
      store.put(KEY, BYTES, 0, BYTES.length);
      look(cache);
      cache.awaitFetched();
      System.out.println(look(cache)); // loads all classes
      Path file = StoredFiles.below(kept, each -> true).get(0);
      Deque<FileChannel> open = openAll(file);
      try {
        System.out.println(touch(file));
        open.pop().close();
        System.out.println(look(cache) + look(cache) + look(cache));
      } finally {
        for (FileChannel each : open) {
          each.close();
        }
      }
    }
  }

  private static Deque<FileChannel> openAll(Path file) {
    Deque<FileChannel> open = new ArrayDeque<>();
    while (true) {
      try {
        open.push(FileChannel.open(file));
      } catch (IOException tooMany) {
        return open;
      }
    }
  }

  private static String touch(Path file) throws IOException {
    try {
      Files.setLastModifiedTime(file, FileTime.fromMillis(0));
      return "noted";
    } catch (FileSystemException e) {
      return e.getReason();
    }
  }

  private static String look(DiskCache cache) throws IOException {
    Optional<FileChannel> found = cache.open(KEY, BYTES.length, Crc32c.of(BYTES));
    if (found.isEmpty()) {
      return "-";
    }
    try (FileChannel object = found.get()) {
      byte[] read = new byte[BYTES.length];
      DirectoryFiles.readFully(object, 0, read, 0, read.length);
      return Arrays.equals(read, BYTES) ? "+" : "?";
    }
  }
}
