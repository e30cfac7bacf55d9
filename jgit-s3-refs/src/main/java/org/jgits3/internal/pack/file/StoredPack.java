// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.pack.file;

import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.util.Optional;
import java.util.OptionalLong;
import org.jgits3.internal.store.cache.DiskCache;
import org.jgits3.internal.store.file.DirectoryFiles;
import org.jgits3.store.ObjectStore;
import org.jgits3.store.StoreException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Pack that is an object of its own, read from the local disk if it is cached there, else from the
 * store. Reads whole ranges and checks them; a damaged range is read from the store once more, and
 * is an error if it is still damaged. Safe for use by many threads.
 */
final class StoredPack implements Closeable {
  private static final Logger LOG = LoggerFactory.getLogger(StoredPack.class);

  private final ObjectStore store;
  private final Optional<DiskCache> disk;
  private final String key;
  private final long size;
  private final RangeChecksums checksums;
  private volatile Optional<FileChannel> local;

  /**
   * Creates a reader.
   *
   * @param store store of the pack
   * @param disk local cache of objects
   * @param key its key
   * @param size its length in bytes
   * @param crc32c CRC32C of all of it
   * @param checksums those of its ranges
   */
  StoredPack(
      ObjectStore store,
      Optional<DiskCache> disk,
      String key,
      long size,
      int crc32c,
      RangeChecksums checksums) {
    this.store = store;
    this.disk = disk;
    this.key = key;
    this.size = size;
    this.checksums = checksums;
    this.local = disk.flatMap(kept -> kept.open(key, size, crc32c));
  }

  long size() {
    return size;
  }

  /** Bytes of a range, the unit of reading. */
  int range() {
    return checksums.range();
  }

  /** Tests whether it is read from the local disk. */
  boolean isLocal() {
    return local.isPresent();
  }

  /**
   * Reads whole ranges.
   *
   * @param position offset of the first range
   * @param dst receives the bytes
   * @param offset first byte to write in {@code dst}
   * @param length their number; up to the end of a range or of the pack
   * @throws StoreException.Corrupt if the bytes in the store differ from those written
   * @throws IOException if they cannot be read
   */
  void read(long position, byte[] dst, int offset, int length) throws IOException {
    if (readLocal(position, dst, offset, length)) {
      return;
    }
    store.read(key, position, dst, offset, length, Optional.empty());
    OptionalLong damaged = checksums.damaged(position, dst, offset, length);
    if (damaged.isPresent()) {
      LOG.warn("{} once more: it came with other bytes than were written", range(damaged));
      store.read(key, position, dst, offset, length, Optional.empty());
      damaged = checksums.damaged(position, dst, offset, length);
    }
    if (damaged.isPresent()) {
      throw new StoreException.Corrupt(
          key,
          range(damaged) + " has not the CRC32C that was written; restore it from a copy",
          null);
    }
  }

  private boolean readLocal(long position, byte[] dst, int offset, int length) {
    Optional<FileChannel> from = local;
    if (from.isEmpty()) {
      return false;
    }
    DiskCache cache = disk.orElseThrow();
    try {
      DirectoryFiles.readFully(from.get(), position, dst, offset, length);
      OptionalLong damaged = checksums.damaged(position, dst, offset, length);
      if (damaged.isEmpty()) {
        return true;
      }
      cache.damaged(key, range(damaged) + " has another CRC32C on the disk");
    } catch (IOException e) {
      cache.unreadable(key, e);
    }
    local = Optional.empty();
    closeLocal(from.get());
    return false;
  }

  private String range(OptionalLong damaged) {
    long from = damaged.getAsLong();
    return key + " from byte " + from + " to " + Math.min(size, from + range());
  }

  private void closeLocal(FileChannel file) {
    try {
      file.close();
    } catch (IOException e) {
      LOG.debug("file of {} is not closed", key, e);
    }
  }

  @Override
  public void close() {
    local.ifPresent(this::closeLocal);
  }
}
