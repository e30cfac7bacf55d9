// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.store.cache;

import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import java.util.zip.CRC32C;
import org.jgits3.internal.concurrent.DaemonThreads;
import org.jgits3.internal.digest.Sha256;
import org.jgits3.internal.store.file.DirectoryFiles;
import org.jgits3.internal.store.file.LocalPermissions;
import org.jgits3.store.Crc32c;
import org.jgits3.store.ObjectStore;
import org.jgits3.store.StoreException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whole immutable objects in a local directory, so that they need not be read from the store again.
 * An object that is not cached is fetched in the background; until then, callers read it from the
 * store.
 *
 * <p>A damaged or unusable directory never changes a result: the bytes are then read from the
 * store. Files have the bytes of the objects and nothing else. Readers compare each part with its
 * checksum in the store; a file with other bytes is deleted, and its object fetched again.
 *
 * <p>Safe for use by many threads, and by many processes with the same directory: a file gets its
 * name when it is complete, is never changed, and can be deleted at any time. Beyond the limit, the
 * least recently used files are deleted first. Files belong to the user of the process; the group
 * of the directory can read them if it can write to the directory.
 */
public final class DiskCache implements Closeable {
  private static final Logger LOG = LoggerFactory.getLogger(DiskCache.class);

  /** Suffix of files that are being written. */
  private static final String PART = ".part";

  private static final String WHOLE = ".object";

  private static final String OURS = "*{" + PART + "," + WHOLE + "}";

  /** Age at which a partly written file counts as abandoned. */
  private static final Duration ABANDONED = Duration.ofDays(1);

  /**
   * Pause of all fetches after a file could not be written, as on a full disk, and of those of an
   * object after it could not be read from the store.
   */
  private static final Duration PAUSE = Duration.ofMinutes(1);

  /**
   * Maximum number of objects that wait to be fetched; others are fetched when they are used again.
   */
  private static final int MOST_WAITING = 100;

  /** Bytes of a request that fetches. */
  private static final int RANGE = 8 << 20;

  private static final Set<OpenOption> NEW_FILE =
      Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);

  /** Least time between two warnings of damaged objects: a bad disk may damage all. */
  private static final Duration WARNING = Duration.ofMinutes(1);

  private final ObjectStore store;
  private final Path directory;
  private final long limit;
  private final Set<String> fetching = ConcurrentHashMap.newKeySet();

  /** True if a failure to read was reported and no read has succeeded since. */
  private final AtomicBoolean unreadable = new AtomicBoolean();

  /** {@link System#nanoTime} of the last failure to write a file. */
  private volatile Optional<Long> failed = Optional.empty();

  /** {@link System#nanoTime} of the failure to read each object that was read last in vain. */
  private final Map<String, Long> unread =
      Collections.synchronizedMap(
          new LinkedHashMap<>() {
            @Override
            protected boolean removeEldestEntry(Map.Entry<String, Long> eldest) {
              return size() > MOST_WAITING;
            }
          });

  private final ExecutorService background;

  private final LongSupplier nanoTime;

  /** Reading of the clock at the last warning of a damaged object; guarded by this. */
  private long warned;

  /** Number of damaged objects since then; guarded by this. */
  private long damagedSince;

  /**
   * A cache in a directory that is created with the first file.
   *
   * @param store store that the objects are read from
   * @param options directory and limit of the cache
   */
  public DiskCache(ObjectStore store, Options options) {
    this(store, options, DaemonThreads.named("jgit-s3-cache"), System::nanoTime);
  }

  DiskCache(ObjectStore store, Options options, ThreadFactory threads, LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
    this.warned = nanoTime.getAsLong() - WARNING.toNanos();
    this.background =
        new ThreadPoolExecutor(1, 1, 0, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), threads);
    this.store = store;
    this.directory = options.directory();
    this.limit = options.limit();
  }

  /**
   * Settings of an administrator.
   *
   * @param directory local directory; nothing else may be in it
   * @param limit bytes that all processes that use the directory may keep together; an object of
   *     more than half of it is not kept
   */
  public record Options(Path directory, long limit) {}

  /**
   * Opens a cached object, or starts to fetch it. Its bytes are not verified: the caller compares
   * them with a checksum.
   *
   * @param key its key
   * @param size its length in bytes
   * @param crc32c its checksum
   * @return the object, to be closed; empty if it has to be read from the store
   */
  public Optional<FileChannel> open(String key, long size, int crc32c) {
    Path file = file(key);
    try {
      FileChannel object = FileChannel.open(file, StandardOpenOption.READ);
      noteUse(file);
      return Optional.of(object);
    } catch (NoSuchFileException e) {
      fetch(key, size, crc32c);
    } catch (IOException e) {
      unreadable(key, e);
    }
    return Optional.empty();
  }

  /**
   * Marks a file as used most recently. A failure is ignored: another process may have deleted the
   * file meanwhile, or it belongs to another user.
   */
  private static void noteUse(Path file) {
    try {
      Files.setLastModifiedTime(file, FileTime.from(Instant.now()));
    } catch (IOException e) {
      LOG.debug("use of {} is not noted: {}", file, e.toString());
    }
  }

  /**
   * Reads a whole cached object, or starts to fetch it.
   *
   * @param key its key
   * @param size its length in bytes
   * @param crc32c its checksum
   * @return its bytes; empty if they have to be read from the store
   */
  public Optional<byte[]> read(String key, long size, int crc32c) {
    Optional<FileChannel> found = open(key, size, crc32c);
    if (found.isEmpty()) {
      return Optional.empty();
    }
    try (FileChannel object = found.get()) {
      byte[] bytes = new byte[Math.toIntExact(size)];
      DirectoryFiles.readFully(object, 0, bytes, 0, bytes.length);
      if (Crc32c.of(bytes) == crc32c) {
        return Optional.of(bytes);
      }
      damaged(key, key + " has another CRC32C on the disk");
    } catch (IOException e) {
      unreadable(key, e);
    }
    return Optional.empty();
  }

  /**
   * Records that a cached object could not be read, and was read from the store. Deletes it if it
   * is too short.
   *
   * @param key its key
   * @param failure what happened
   */
  public void unreadable(String key, IOException failure) {
    if (failure instanceof EOFException) {
      damaged(key, key + " is too short on the disk");
      return;
    }
    String message = "{} is read from the store, not from {}: {}";
    if (unreadable.getAndSet(true)) {
      LOG.debug(message, key, directory, failure.toString());
    } else {
      LOG.warn(message, key, directory, failure.toString());
    }
  }

  /**
   * Deletes a damaged object. It is fetched again when it is opened next.
   *
   * @param key its key
   * @param found description of the damage
   */
  public void damaged(String key, String found) {
    String done = "it is fetched again";
    try {
      Files.deleteIfExists(file(key));
    } catch (IOException e) {
      done = file(key) + " was not deleted: " + e;
    }
    warn(found + "; " + done);
  }

  private synchronized void warn(String damage) {
    long now = nanoTime.getAsLong();
    if (now - warned < WARNING.toNanos()) {
      damagedSince++;
      LOG.debug(damage);
      return;
    }
    String others =
        damagedSince == 0 ? "" : "; so were " + damagedSince + " since the last warning of one";
    LOG.warn("{}{}", damage, others);
    warned = now;
    damagedSince = 0;
  }

  private Path file(String key) {
    byte[] name = (store.location() + "/" + key).getBytes(StandardCharsets.UTF_8);
    byte[] hash = Sha256.begin().digest(name);
    return directory.resolve(HexFormat.of().formatHex(hash) + WHOLE);
  }

  private void fetch(String key, long size, int crc32c) {
    if (background.isShutdown()
        || isRecent(failed)
        || isRecent(Optional.ofNullable(unread.get(key)))
        || size > limit / 2
        || fetching.size() >= MOST_WAITING
        || !fetching.add(key)) {
      return;
    }
    if (!DaemonThreads.offer(background, () -> fetchInBackground(key, size, crc32c))) {
      fetching.remove(key);
      LOG.debug("{} is not fetched while there is no thread for it", key);
    }
  }

  private void fetchInBackground(String key, long size, int crc32c) {
    try {
      fetchNow(key, size, crc32c);
    } catch (IOException | RuntimeException | Error e) {
      if (e instanceof StoreException) {
        unread.put(key, System.nanoTime());
      } else {
        failed = Optional.of(System.nanoTime());
      }
      if (!background.isShutdown()) {
        LOG.warn("{} was not kept in {}: {}", key, directory, e.toString());
      }
    } finally {
      fetching.remove(key);
    }
  }

  private static boolean isRecent(Optional<Long> failure) {
    return failure.isPresent() && System.nanoTime() - failure.get() < PAUSE.toNanos();
  }

  private void fetchNow(String key, long size, int crc32c) throws IOException {
    LocalPermissions.createDirectories(directory);
    Path part = directory.resolve(UUID.randomUUID() + PART);
    try {
      try (FileChannel out =
          FileChannel.open(part, NEW_FILE, LocalPermissions.sharedAs(directory))) {
        CRC32C crc = new CRC32C();
        byte[] buffer = new byte[(int) Math.min(RANGE, size)];
        for (long at = 0; at < size; at += buffer.length) {
          int n = (int) Math.min(buffer.length, size - at);
          store.read(key, at, buffer, 0, n, Optional.empty());
          crc.update(buffer, 0, n);
          DirectoryFiles.append(out, buffer, 0, n);
        }
        if ((int) crc.getValue() != crc32c) {
          throw new StoreException.Corrupt(
              key, store.location() + "/" + key + " has not the CRC32C that is listed", null);
        }
      }
      noteUse(part); // finer than the clock of the file system, which several files may share
      Files.move(part, file(key), StandardCopyOption.ATOMIC_MOVE);
      unreadable.set(false);
      trim();
    } finally {
      Files.deleteIfExists(part);
    }
  }

  private record Kept(Path file, long size, FileTime used) {}

  /** Deletes files beyond the limit, and those that killed processes left. */
  private void trim() throws IOException {
    List<Kept> kept = new ArrayList<>();
    FileTime abandoned = FileTime.from(Instant.now().minus(ABANDONED));
    long bytes = 0;
    try (DirectoryStream<Path> files = Files.newDirectoryStream(directory, OURS)) {
      for (Path file : files) {
        Optional<Kept> found = look(file);
        if (found.isEmpty()) {
          continue;
        }
        if (!file.toString().endsWith(PART)) {
          kept.add(found.get());
          bytes += found.get().size();
        } else if (found.get().used().compareTo(abandoned) < 0) {
          Files.deleteIfExists(file);
        }
      }
    }
    kept.sort(Comparator.comparing(Kept::used));
    for (Kept each : kept) {
      if (bytes <= limit) {
        break;
      }
      Files.deleteIfExists(each.file());
      bytes -= each.size();
    }
  }

  private static Optional<Kept> look(Path file) throws IOException {
    try {
      BasicFileAttributes found = Files.readAttributes(file, BasicFileAttributes.class);
      return Optional.of(new Kept(file, found.size(), found.lastModifiedTime()));
    } catch (NoSuchFileException e) {
      return Optional.empty(); // another process was faster
    }
  }

  /**
   * Waits until all requested objects are fetched. One thread fetches, in the order of requests.
   */
  void awaitFetched() throws InterruptedException, ExecutionException {
    background.submit(() -> {}).get();
  }

  /** Cancels all fetches. */
  @Override
  public void close() {
    background.shutdownNow();
  }
}
