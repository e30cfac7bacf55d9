// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.pack.file;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Optional;
import org.eclipse.jgit.internal.storage.dfs.ReadableChannel;
import org.eclipse.jgit.internal.storage.pack.PackExt;
import org.jgits3.internal.store.cache.DiskCache;
import org.jgits3.internal.store.cache.LruCache;
import org.jgits3.manifest.ObjectNames;
import org.jgits3.manifest.PackFileEntry;
import org.jgits3.store.ObjectStore;
import org.jgits3.store.StoreException;

/**
 * Reads the files of packs: from memory, the local disk or the store. Every byte is checked against
 * a checksum before it is returned. Safe for use by many threads.
 */
public final class PackFiles implements Closeable {
  /**
   * Maximum bytes of bundles that are kept between reading the index of a small pack and the pack.
   */
  private static final long BUNDLES_KEPT = 16 << 20;

  /**
   * Fraction of the heap, as a divisor, for cached checksums. They take a sixteen thousandth of the
   * size of their packs; the indexes, also in memory, take about a hundredth.
   */
  private static final int HEAP_SHARE = 128;

  private final ObjectStore store;
  private final Bundles bundles;
  private final Optional<DiskCache> disk;

  /** Checksums stored behind the indexes of packs, by the keys of the packs. */
  private final LruCache<String, byte[]> checksums =
      new LruCache<>(Runtime.getRuntime().maxMemory() / HEAP_SHARE);

  /**
   * Creates a reader of the packs of a store.
   *
   * @param store store of the packs
   * @param disk local cache of objects, closed with this; empty for none
   */
  public PackFiles(ObjectStore store, Optional<DiskCache> disk) {
    this.store = store;
    this.bundles = new Bundles(store, BUNDLES_KEPT);
    this.disk = disk;
  }

  /**
   * Opens a file of a pack. The whole file has been read and checked, except for a pack that is an
   * object of its own, which is read and checked range by range.
   *
   * @param pack the pack
   * @param ext kind of file
   * @return the file
   * @throws StoreException.Corrupt if the bytes in the store differ from those written
   * @throws IOException if it cannot be read
   */
  public ReadableChannel open(S3PackDescription pack, PackExt ext) throws IOException {
    PackFileEntry file = entry(pack, ext);
    if (ext == PackExt.PACK && !file.bundled()) {
      String key = key(pack, ext, file);
      return new PackChannel(store, disk, key, file.size(), file.crc32c(), checksums(pack, file));
    }
    byte[] bytes = read(pack, ext, file);
    return new Held(bytes, ext == PackExt.INDEX ? keepChecksums(pack, bytes) : bytes.length);
  }

  /** File that is complete, checked and at the start of an array. Used by one thread. */
  private static final class Held extends PositionedChannel {
    private final byte[] bytes;
    private final int length;

    Held(byte[] bytes, int length) {
      this.bytes = bytes;
      this.length = length;
    }

    @Override
    protected int read(long position, ByteBuffer dst) {
      int n = (int) Math.min(dst.remaining(), length - position);
      if (n <= 0) {
        return dst.hasRemaining() ? -1 : 0;
      }
      dst.put(bytes, (int) position, n);
      return n;
    }

    @Override
    public long size() {
      return length;
    }
  }

  private static PackFileEntry entry(S3PackDescription pack, PackExt ext)
      throws StoreException.Missing {
    return pack.file(ext)
        .orElseThrow(
            () -> {
              String key = ObjectNames.packKey(pack.owner(), pack.id(), ext.getExtension());
              return new StoreException.Missing(key, key + " is not listed", null);
            });
  }

  private static String key(S3PackDescription pack, PackExt ext, PackFileEntry file) {
    return ObjectNames.packKey(
        pack.owner(), pack.id(), file.bundled() ? ObjectNames.BUNDLE : ext.getExtension());
  }

  private byte[] read(S3PackDescription pack, PackExt ext, PackFileEntry file) throws IOException {
    String key = key(pack, ext, file);
    if (file.bundled()) {
      return bundles.read(key, pack.bundleSize(), file);
    }
    Optional<byte[]> kept = disk.flatMap(cache -> cache.read(key, file.size(), file.crc32c()));
    return kept.isPresent() ? kept.get() : bundles.read(key, file.size(), file);
  }

  /** Keeps the checksums behind an index, if they are needed; returns the length of the index. */
  private int keepChecksums(S3PackDescription pack, byte[] index) throws IOException {
    PackFileEntry file = entry(pack, PackExt.PACK);
    int length = index.length - checksumsLength(pack, file);
    if (!file.bundled()) {
      String key = key(pack, PackExt.PACK, file);
      keep(key, Arrays.copyOfRange(index, length, index.length));
    }
    return length;
  }

  /** Bytes of the checksums behind the index of a pack. */
  static int checksumsLength(S3PackDescription pack, PackFileEntry file) throws IOException {
    PackFileEntry index = entry(pack, PackExt.INDEX);
    int length = file.range() > 0 ? RangeChecksums.length(file.size(), file.range()) : 0;
    if (length == 0 || length > index.size()) {
      String key = key(pack, PackExt.PACK, file);
      throw new StoreException.Corrupt(
          key, key + " is listed without checksums of its ranges; restore the manifest", null);
    }
    return length;
  }

  /** Keeps the checksums of a pack that this process has written. */
  public void written(S3PackDescription pack) {
    Optional<PackFileEntry> file = pack.file(PackExt.PACK).filter(entry -> !entry.bundled());
    if (file.isPresent() && pack.checksums().isPresent()) {
      keep(key(pack, PackExt.PACK, file.get()), pack.checksums().orElseThrow());
    }
  }

  private RangeChecksums checksums(S3PackDescription pack, PackFileEntry file) throws IOException {
    String key = key(pack, PackExt.PACK, file);
    int length = checksumsLength(pack, file);
    Optional<RangeChecksums> found = checksums.get(key).flatMap(known -> of(known, file));
    for (int attempt = 0; found.isEmpty() && attempt < 2; attempt++) { // perhaps damaged in transit
      found = of(readChecksums(pack, length), file);
      found.ifPresent(read -> keep(key, read.stored()));
    }
    return found.orElseThrow(() -> damagedChecksums(pack));
  }

  private static Optional<RangeChecksums> of(byte[] stored, PackFileEntry pack) {
    return RangeChecksums.of(stored, pack.size(), pack.range());
  }

  /** Reads the checksums behind the index of a pack without the index. */
  private byte[] readChecksums(S3PackDescription pack, int length) throws IOException {
    PackFileEntry index = entry(pack, PackExt.INDEX);
    String key = key(pack, PackExt.INDEX, index);
    if (index.bundled()) {
      byte[] bytes = bundles.read(key, pack.bundleSize(), index);
      return Arrays.copyOfRange(bytes, bytes.length - length, bytes.length);
    }
    byte[] bytes = new byte[length];
    store.read(key, index.size() - length, bytes, 0, length, Optional.empty());
    return bytes;
  }

  private static StoreException.Corrupt damagedChecksums(S3PackDescription pack) {
    String key = ObjectNames.packKey(pack.owner(), pack.id(), PackExt.INDEX.getExtension());
    return new StoreException.Corrupt(
        key, key + " ends with other checksums of its pack than were written; restore it", null);
  }

  /** Stops downloads to the local disk. */
  @Override
  public void close() {
    disk.ifPresent(DiskCache::close);
  }

  private void keep(String key, byte[] bytes) {
    checksums.put(key, bytes, bytes.length);
  }
}
