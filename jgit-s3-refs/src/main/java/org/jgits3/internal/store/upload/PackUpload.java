// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.store.upload;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.zip.CRC32C;
import org.jgits3.internal.concurrent.Uninterrupted;
import org.jgits3.internal.function.IoRunnable;
import org.jgits3.store.MultipartUpload;
import org.jgits3.store.ObjectStore;
import org.jgits3.store.StoreException;
import org.jgits3.store.UploadOptions;
import org.jgits3.store.UploadedPart;

/**
 * Stream to one object of unknown length, written in one pass with bounded memory: a pack, a
 * snapshot, or other content that should not be held in memory.
 *
 * <p>Content of up to one part is one PUT; anything longer is a multipart upload whose parts are
 * sent by other threads while the next one is filled. A writer that is faster than the store waits
 * in {@link #write} for memory, of which all uploads of a {@link PackUploads} share a bounded
 * amount. Every part but the last has at least the 5 MiB that S3 requires, however small the writes
 * are. Every part is sent with its CRC32C, which is compared again when the object is completed.
 * {@link UploadOptions} describes the largest object.
 *
 * <p>Nothing is visible in the store before {@link #close} returns. {@link #abort}, a failed
 * request, an interrupt or closing the {@link PackUploads} abort the upload: its parts are removed,
 * and {@link #close} fails. Close it only if all content was written:
 *
 * <pre>{@code
 * PackUpload upload = uploads.begin("key");
 * try {
 *   produce(upload);
 * } catch (IOException | RuntimeException | Error e) {
 *   upload.fail(e);
 *   throw e;
 * }
 * upload.close();
 * }</pre>
 *
 * <p>A thread that writes to several uploads in turn needs a buffer for each: while it waits for
 * memory for one, it cannot continue the others.
 *
 * <p>Used by one thread at a time; {@link #fail} and {@link #abort} may be called by any, and wait
 * for the call that the writer is in.
 */
public final class PackUpload extends OutputStream {
  /** Most bytes of memory an open upload has besides the buffers it shares with others. */
  public static final int OWN_BYTES = FillingPart.OWN_BYTES;

  private final PackUploads uploads;
  private final ObjectStore store;
  private final String key;
  private final PartsInFlight inFlight;

  /** Held by the writer during a call, and by a thread that aborts the upload. */
  private final ReentrantLock lock = new ReentrantLock();

  // Used by the writer only.
  private final CRC32C crc = new CRC32C();
  private final byte[] one = new byte[1];
  private int parts;
  private long count;

  // Guarded by the lock.
  private FillingPart part;
  private Optional<MultipartUpload> upload = Optional.empty();
  private State state = State.OPEN;

  private enum State {
    OPEN,
    DONE,
    FAILED
  }

  PackUpload(PackUploads uploads, String key) {
    this.uploads = uploads;
    this.store = uploads.store();
    this.key = Objects.requireNonNull(key, "key");
    this.inFlight = new PartsInFlight(uploads.threads());
    this.part = new FillingPart();
  }

  /**
   * Bytes written so far.
   *
   * @return count from the beginning of the object
   */
  public long count() {
    return count;
  }

  /**
   * CRC32C of the bytes written so far.
   *
   * @return checksum
   */
  public int crc32c() {
    return (int) crc.getValue();
  }

  /**
   * Key of the object.
   *
   * @return the name it will exist under
   */
  public String key() {
    return key;
  }

  @Override
  public void write(int b) throws IOException {
    one[0] = (byte) b;
    write(one, 0, 1);
  }

  /**
   * Writes bytes, waiting for memory if necessary. A failure aborts the upload.
   *
   * @throws InterruptedIOException if the thread is interrupted
   * @throws IOException if the upload has ended or failed
   */
  @Override
  public void write(byte[] src, int offset, int length) throws IOException {
    Objects.checkFromIndexSize(offset, length, src.length);
    whileOpen(
        () -> {
          append(src, offset, length);
          crc.update(src, offset, length);
          count += length;
        });
  }

  /**
   * Bytes of each part but the last.
   *
   * @return size of a part
   */
  public int partSize() {
    return uploads.options().partSize();
  }

  /**
   * Sends the bytes written since the last part, unless they are fewer than a part may have. A
   * writer that may pause calls this after each {@link #partSize} bytes, so that during a pause the
   * upload holds no memory that others wait for. A failure aborts the upload.
   *
   * @throws IOException if the upload has ended or failed
   */
  @Override
  public void flush() throws IOException {
    whileOpen(
        () -> {
          if (part.size() >= UploadOptions.MIN_PART_SIZE) {
            inFlight.check();
            send();
          }
        });
  }

  /** Runs a step of the writer. A failure aborts the upload, because bytes may be missing then. */
  private void whileOpen(IoRunnable step) throws IOException {
    lock.lock();
    try {
      if (state != State.OPEN) {
        throw new IOException("upload of " + key + " has ended");
      }
      step.run();
    } catch (IOException | RuntimeException | Error e) {
      fail(e);
      throw e;
    } finally {
      lock.unlock();
    }
  }

  private void append(byte[] src, int offset, int length) throws IOException {
    for (int done = 0; done < length; ) {
      int n = part.append(src, offset + done, length - done);
      done += n;
      if (n == 0) {
        makeRoom();
      }
    }
  }

  private void makeRoom() throws IOException {
    checkInterrupted();
    inFlight.check();
    if (part.buffer().isEmpty()) {
      uploads.opened(this);
      uploads.buffers().take(part.buffer());
      part.extended();
    } else {
      send();
    }
  }

  private void checkInterrupted() throws InterruptedIOException {
    if (Thread.interrupted()) {
      throw new InterruptedIOException("upload of " + key + " was interrupted");
    }
  }

  private void send() throws IOException {
    MultipartUpload to = begun();
    int number = nextNumber();
    FillingPart full = part;
    FillingPart next = new FillingPart();
    inFlight.send(
        () -> store.uploadPart(to, number, full.body()),
        () -> uploads.buffers().give(full.buffer()));
    part = next;
  }

  private MultipartUpload begun() throws IOException {
    if (upload.isEmpty()) {
      String token = UUID.randomUUID().toString();
      upload = Optional.of(store.beginMultipart(key, Map.of("upload-token", token)));
    }
    return upload.get();
  }

  private int nextNumber() throws IOException {
    if (parts == uploads.mostParts()) {
      throw uploads.tooLong(String.format("upload of %s: %,d bytes fill %,d", key, count, parts));
    }
    return ++parts;
  }

  /**
   * Completes the object. Does nothing if it is complete.
   *
   * @throws InterruptedIOException if the thread is interrupted before; the upload is aborted
   * @throws IOException if the existence of the object could not be confirmed, an earlier call
   *     failed, or the upload was aborted
   */
  @Override
  public void close() throws IOException {
    lock.lock();
    try {
      if (state == State.FAILED) {
        throw new IOException("upload of " + key + " failed before");
      }
      if (state == State.OPEN) {
        store();
      }
    } finally {
      lock.unlock();
    }
  }

  private void store() throws IOException {
    List<UploadedPart> sent = sendAll();
    state = State.FAILED; // unless the store acknowledges it
    try {
      if (upload.isPresent()) {
        store.completeMultipart(upload.get(), sent);
      }
      state = State.DONE;
    } catch (StoreException.Unavailable e) {
      throw e; // it may still complete, so it must not be aborted
    } catch (IOException e) {
      removeParts(e);
      throw e;
    } finally {
      release();
    }
  }

  private List<UploadedPart> sendAll() throws IOException {
    try {
      checkInterrupted();
      if (upload.isPresent()) {
        if (part.size() > 0) {
          send();
        }
        List<UploadedPart> sent = inFlight.await();
        checkComplete(sent.stream().mapToLong(UploadedPart::size).sum());
        return sent;
      }
      checkComplete(part.size());
      store.put(key, part.array(), 0, part.size());
      return List.of();
    } catch (IOException | RuntimeException | Error e) {
      fail(e);
      throw e;
    }
  }

  /**
   * Fails if written bytes are missing from the parts. The store compares only the bytes it was
   * sent, so it would accept an object with a hole.
   */
  private void checkComplete(long bytes) throws IOException {
    if (bytes != count) {
      throw new IOException(
          String.format(
              "upload of %s: %,d bytes were written and %,d sent; it is given up, upload again",
              key, count, bytes));
    }
  }

  /**
   * Aborts the upload: no object will exist. Does nothing after {@link #close}.
   *
   * @throws IOException if parts may be left in the store, for a sweep to find
   */
  public void abort() throws IOException {
    IOException left = new IOException("upload of " + key + " was given up, not all of it");
    if (!end(left)) {
      throw left;
    }
  }

  /**
   * Aborts the upload because of a failure: no object will exist, and {@link #close} fails with it.
   *
   * @param failure the failure; gets a suppressed exception if parts may be left in the store
   */
  public void fail(Throwable failure) {
    end(failure);
  }

  private boolean end(Throwable reason) {
    lock.lock();
    try {
      if (state != State.OPEN) {
        return true;
      }
      state = State.FAILED;
      return discard(reason);
    } finally {
      lock.unlock();
    }
  }

  /**
   * Aborts the upload, unless the writer is in a call that does not end in time.
   *
   * @param reason why
   * @param nanos longest wait for the writer in nanoseconds; no wait if negative
   * @return true if this upload has ended
   */
  boolean failWithin(Throwable reason, long nanos) throws InterruptedException {
    if (!lock.tryLock(nanos, TimeUnit.NANOSECONDS)) {
      return false;
    }
    try {
      fail(reason);
      return true;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Removes all parts from the store, after the last part in flight has ended. Always releases the
   * memory.
   *
   * @return true if all was removed; else failures are added to the reason as suppressed
   */
  private boolean discard(Throwable reason) {
    try {
      inFlight.stop(reason);
      return removeParts(reason);
    } finally {
      release();
    }
  }

  /** Defers an interrupt, because an interrupted thread sends no request. */
  private boolean removeParts(Throwable reason) {
    try {
      if (upload.isPresent()) {
        Uninterrupted.await(() -> store.abortMultipart(upload.get()));
      }
      return true;
    } catch (IOException | RuntimeException | Error e) {
      if (e != reason) {
        reason.addSuppressed(e);
      }
      return false;
    }
  }

  private void release() {
    uploads.buffers().give(part.buffer());
    uploads.ended(this);
  }
}
