// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.pack.file;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.Optional;
import java.util.OptionalLong;
import org.jgits3.internal.store.cache.DiskCache;
import org.jgits3.internal.store.file.DirectoryFiles;
import org.jgits3.internal.store.read.ReadAhead;
import org.jgits3.store.ObjectStore;
import org.jgits3.store.StoreException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads a pack that is an object of its own: from the local disk if it is cached there, else from
 * the store. There it sends a request for each block, or reads ahead if JGit asks for it. Reads
 * whole ranges and checks them; a damaged range is read from the store once more, and is an error
 * if it is still damaged. Used by one thread.
 */
final class PackChannel extends PositionedChannel {
  private static final Logger LOG = LoggerFactory.getLogger(PackChannel.class);

  private final ObjectStore store;
  private final Optional<DiskCache> disk;
  private final String key;
  private final long size;
  private final RangeChecksums checksums;

  /** Copy on the local disk; empty for good once it has failed. */
  private Optional<FileChannel> local;

  private Optional<ReadAhead> ahead = Optional.empty();

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
  PackChannel(
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

  @Override
  protected int read(long position, ByteBuffer dst) throws IOException {
    return ahead.isPresent() ? ahead.get().read(position, dst) : readNow(position, dst);
  }

  private int readNow(long position, ByteBuffer dst) throws IOException {
    if (position >= size) {
      return -1;
    }
    int n = (int) Math.min(dst.remaining(), size - position);
    if (n == 0) {
      return 0;
    }
    long from = position - position % checksums.range();
    long to = Math.min(size, from + roundUp(position - from + n));
    if (from == position && to == position + n && dst.hasArray()) {
      readRanges(position, dst.array(), dst.arrayOffset() + dst.position(), n);
      dst.position(dst.position() + n);
    } else {
      byte[] ranges = new byte[Math.toIntExact(to - from)];
      readRanges(from, ranges, 0, ranges.length);
      dst.put(ranges, (int) (position - from), n);
    }
    return n;
  }

  private long roundUp(long bytes) {
    return (bytes + checksums.range() - 1) / checksums.range() * checksums.range();
  }

  private void readRanges(long position, byte[] dst, int offset, int length) throws IOException {
    if (!readLocal(position, dst, offset, length)) {
      readStored(position, dst, offset, length);
    }
  }

  private boolean readLocal(long position, byte[] dst, int offset, int length) {
    if (local.isEmpty()) {
      return false;
    }
    DiskCache cache = disk.orElseThrow();
    try {
      DirectoryFiles.readFully(local.get(), position, dst, offset, length);
      OptionalLong damaged = checksums.damaged(position, dst, offset, length);
      if (damaged.isEmpty()) {
        return true;
      }
      cache.damaged(key, range(damaged) + " has another CRC32C on the disk");
    } catch (IOException e) {
      cache.unreadable(key, e);
    }
    closeLocal();
    return false;
  }

  /**
   * Reads whole ranges from the store. Called by many threads when it reads ahead.
   *
   * @param position offset of the first range
   * @param dst receives the bytes
   * @param offset first byte to write in {@code dst}
   * @param length number of bytes; they end with a range or with the pack
   * @throws StoreException.Corrupt if the bytes in the store differ from those written
   * @throws IOException if they cannot be read
   */
  private void readStored(long position, byte[] dst, int offset, int length) throws IOException {
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

  private String range(OptionalLong damaged) {
    long from = damaged.getAsLong();
    return key + " from byte " + from + " to " + Math.min(size, from + checksums.range());
  }

  @Override
  public long size() {
    return size;
  }

  /** As documented by JGit: reads the pack with several requests in flight from now on. */
  @Override
  public void setReadAheadBytes(int bytes) {
    ahead.ifPresent(ReadAhead::close);
    ahead =
        bytes > 0 && local.isEmpty()
            ? Optional.of(new ReadAhead(this::readStored, checksums.range(), size, bytes))
            : Optional.empty();
  }

  @Override
  public void close() throws IOException {
    super.close();
    setReadAheadBytes(0);
    closeLocal();
  }

  private void closeLocal() {
    try {
      if (local.isPresent()) {
        local.get().close();
      }
    } catch (IOException e) {
      LOG.debug("file of {} is not closed", key, e);
    }
    local = Optional.empty();
  }
}
