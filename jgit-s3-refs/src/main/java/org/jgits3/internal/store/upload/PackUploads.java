// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.store.upload;

import java.io.IOException;
import java.io.OutputStream;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jgits3.internal.concurrent.DaemonThreads;
import org.jgits3.internal.function.IoConsumer;
import org.jgits3.store.ObjectStore;
import org.jgits3.store.UploadOptions;
import org.jgits3.store.Uploads;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Uploads of unknown length to one store, and the memory and threads they share. Use one per
 * process, because the bound on memory holds for each instance.
 *
 * <pre>{@code
 * try (ObjectStore store = Stores.open(StoreLocation.parse("s3://bucket/prefix"), StoreOptions.DEFAULT);
 *     PackUploads uploads = new PackUploads(store, UploadOptions.DEFAULT)) {
 *   PackUpload upload = uploads.begin("exports/2026.tar");
 *   ...
 * }
 * }</pre>
 *
 * <p>Safe for use by many threads. Holds neither memory nor threads while no upload is open.
 */
public final class PackUploads implements Uploads {
  private static final Logger LOG = LoggerFactory.getLogger(PackUploads.class);

  /** Maximum time in seconds that {@link #close} waits for writers that are in a call. */
  private static final long CLOSE_SECONDS = 10;

  /**
   * Maximum number of concurrent requests, however large the memory: other requests need
   * connections too.
   */
  private static final int MOST_THREADS = 32;

  /** Most parts of an upload on S3. */
  private static final int MOST_PARTS = 10_000;

  /** Most bytes of an object on S3. */
  private static final long LARGEST_OBJECT = 5L << 40;

  private final ObjectStore store;
  private final UploadOptions options;
  private final PartBuffers buffers;
  private final int mostParts;
  private final ThreadPoolExecutor threads;

  /** Uploads that hold memory or have parts in the store; guarded by itself. */
  private final Set<PackUpload> open = new LinkedHashSet<>();

  /**
   * Uploads to a store. Sends no request and allocates no buffers yet.
   *
   * @param store target of the uploads; not closed with this
   * @param options memory of the uploads
   */
  public PackUploads(ObjectStore store, UploadOptions options) {
    this(store, options, MOST_PARTS);
  }

  /** Uploads with another number of parts, chosen by a test. */
  PackUploads(ObjectStore store, UploadOptions options, int mostParts) {
    this.store = Objects.requireNonNull(store, "store");
    this.options = options;
    this.mostParts = mostParts;
    this.buffers = new PartBuffers(options);
    int most = Math.min(options.buffers(), MOST_THREADS);
    this.threads = DaemonThreads.pool("jgit-s3-upload", most);
  }

  /**
   * Begins an upload to an object that does not exist yet. Sends no request.
   *
   * @param key name that is used only once; see {@link ObjectStore} for its form
   * @return the stream, to be closed, failed or aborted
   */
  public PackUpload begin(String key) {
    return new PackUpload(this, key);
  }

  /**
   * Begins an upload of estimated length, or refuses it if it is too long. Sends no request.
   *
   * @param key as for {@link #begin(String)}
   * @param estimate estimated length in bytes
   * @return the stream, to be closed, failed or aborted
   * @throws IOException if an object of that length is not possible with the {@link #options}
   */
  public PackUpload begin(String key, long estimate) throws IOException {
    if (estimate > largest()) {
      throw tooLong(
          String.format("%s is not begun: %,d bytes are more than fit in", key, estimate));
    }
    return begin(key);
  }

  /**
   * Writes an object that does not exist yet. It may exist after a failure only if the store did
   * not answer.
   *
   * @param key its key
   * @param content writes all its bytes
   * @return the upload, which has ended
   * @throws IOException if {@code content} fails, or the store does not take the object
   */
  public PackUpload write(String key, IoConsumer<OutputStream> content) throws IOException {
    PackUpload upload = begin(key);
    try {
      content.accept(upload);
    } catch (IOException | RuntimeException | Error e) {
      upload.fail(e);
      throw e;
    }
    upload.close();
    return upload;
  }

  IOException tooLong(String what) {
    return new IOException(
        String.format(
            "%s parts of [s3 \"upload\"] partSize = %d, which hold at most %,d bytes; set"
                + " partSize higher",
            what, options.partSize(), largest()));
  }

  /** Bytes of the largest object. */
  long largest() {
    return Math.min(LARGEST_OBJECT, (long) mostParts * options.partSize());
  }

  @Override
  public UploadOptions options() {
    return options;
  }

  @Override
  public int buffersInUse() {
    return buffers.inUse();
  }

  @Override
  public long held() {
    return buffers.held();
  }

  @Override
  public int waiting() {
    return buffers.waiting();
  }

  ObjectStore store() {
    return store;
  }

  PartBuffers buffers() {
    return buffers;
  }

  /** Most parts of an upload. */
  int mostParts() {
    return mostParts;
  }

  Executor threads() {
    return threads;
  }

  /** Registers an upload that needs shared memory. */
  void opened(PackUpload upload) {
    synchronized (open) {
      open.add(upload);
    }
  }

  void ended(PackUpload upload) {
    synchronized (open) {
      if (open.remove(upload) && open.isEmpty()) {
        buffers.clear();
      }
    }
  }

  @Override
  public void close() {
    giveUpAll();
    threads.shutdown();
  }

  private void giveUpAll() {
    buffers.close();
    List<PackUpload> left;
    synchronized (open) {
      left = List.copyOf(open);
    }
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(CLOSE_SECONDS);
    for (PackUpload upload : left) {
      IOException reason = new IOException("uploads are being closed");
      try {
        if (!upload.failWithin(reason, deadline - System.nanoTime())) {
          LOG.warn("upload of {} is busy; a sweep removes what it leaves", upload.key());
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        LOG.warn("interrupted; a sweep removes what uploads leave, {} among them", upload.key());
        return;
      }
      for (Throwable remains : reason.getSuppressed()) {
        LOG.warn("upload of {}: {}", upload.key(), remains.getMessage());
      }
    }
  }
}
