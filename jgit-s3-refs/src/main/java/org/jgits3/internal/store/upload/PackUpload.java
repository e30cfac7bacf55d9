// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.store.upload;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.zip.CRC32C;
import org.jgits3.store.MultipartUpload;
import org.jgits3.store.ObjectStore;
import org.jgits3.store.StoreException;
import org.jgits3.store.UploadOptions;
import org.jgits3.store.UploadedPart;

/**
 * A stream to one object of unknown length, in one pass and with bounded memory: a pack, a
 * snapshot, or anything else that is produced faster than it should be kept.
 *
 * <p>Content of up to one part is one PUT; anything longer is a multipart upload whose parts are
 * sent by other threads while the next one is filled. A writer that is faster than the store waits
 * in {@link #write} for memory, of which all uploads of a {@link PackUploads} share a bounded
 * amount. Every part but the last has at least the 5 MiB that S3 wants, however small the writes
 * are, and parts grow with their number. CRC32C goes with every part, and is compared again when
 * they are put together. {@link UploadOptions} says how long an object can be.
 *
 * <p>Nothing is visible in the store before {@link #close} returns. {@link #abort}, a failure of
 * any request, an interrupt, the end of the {@link PackUploads} or of the JVM give the upload up:
 * its parts are removed, and {@link #close} fails. Like any stream that must not end half way it is
 * closed only if all was written:
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
 * <p>A thread that writes to several uploads in turns needs a buffer for each: one that waits for
 * memory does not go on with the others.
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

  /** Held by the writer during a call, and by whoever gives this up. */
  private final ReentrantLock lock = new ReentrantLock();

  // All guarded by the lock.
  private final CRC32C crc = new CRC32C();
  private final byte[] one = new byte[1];
  private FillingPart part;
  private Optional<MultipartUpload> upload = Optional.empty();
  private int parts;
  private long count;
  private State state = State.OPEN;

  private enum State {
    OPEN,
    DONE,
    ABORTED,
    FAILED
  }

  PackUpload(PackUploads uploads, String key) {
    this.uploads = uploads;
    this.store = uploads.store();
    this.key = Objects.requireNonNull(key, "key");
    this.inFlight = new PartsInFlight(uploads.threads());
    this.part = partAfter(0);
  }

  /**
   * Bytes written so far.
   *
   * @return count from the beginning of the object
   */
  public long count() {
    lock.lock();
    try {
      return count;
    } finally {
      lock.unlock();
    }
  }

  /**
   * CRC32C of the bytes written so far.
   *
   * @return checksum
   */
  public int crc32c() {
    lock.lock();
    try {
      return (int) crc.getValue();
    } finally {
      lock.unlock();
    }
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
    lock.lock();
    try {
      one[0] = (byte) b;
      write(one, 0, 1);
    } finally {
      lock.unlock();
    }
  }

  /**
   * Takes bytes, waiting for memory if need be. After a failure the upload is given up.
   *
   * @throws InterruptedIOException if the thread is interrupted
   * @throws IOException if the upload has ended or failed
   */
  @Override
  public void write(byte[] src, int offset, int length) throws IOException {
    Objects.checkFromIndexSize(offset, length, src.length);
    lock.lock();
    try {
      if (state != State.OPEN) {
        throw new IOException("upload of " + key + " has ended");
      }
      append(src, offset, length);
      crc.update(src, offset, length);
      count += length;
    } catch (IOException | RuntimeException | Error e) {
      fail(e); // part of src may be missing, so that what followed would be at the wrong place
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
    if (part.buffers().isEmpty()) {
      uploads.opened(this);
      uploads.buffers().take(part.buffers());
      part.extended();
    } else if (!enlarge()) {
      send();
    }
  }

  private void checkInterrupted() throws InterruptedIOException {
    if (Thread.interrupted()) {
      throw new InterruptedIOException("upload of " + key + " was interrupted");
    }
  }

  /**
   * Lets the part have one more buffer if it should be larger than it is, and no other upload waits
   * for one. Waits only for what this upload is sending, which ends whatever others do.
   */
  private boolean enlarge() throws IOException {
    while (part.hasRoomForABuffer()) {
      if (uploads.buffers().tryTake(part.buffers())) {
        part.extended();
        return true;
      }
      if (uploads.waiting() > 0 || !inFlight.awaitOne()) {
        return false;
      }
    }
    return false;
  }

  private void send() throws IOException {
    MultipartUpload to = begun();
    int number = nextNumber();
    FillingPart full = part;
    FillingPart next = partAfter(number);
    inFlight.send(
        () -> store.uploadPart(to, number, full.body()),
        () -> uploads.buffers().give(full.buffers()));
    part = next;
  }

  private FillingPart partAfter(int number) {
    return new FillingPart(uploads.sizes().buffers(number + 1, uploads.options()));
  }

  private MultipartUpload begun() throws IOException {
    if (upload.isEmpty()) {
      try {
        upload = Optional.of(store.beginMultipart(key, Map.of("upload-token", token())));
      } catch (StoreException.Unavailable e) {
        attempt(e, this::removeNameless);
        throw e;
      }
    }
    return upload.get();
  }

  private static String token() {
    byte[] random = new byte[16];
    ThreadLocalRandom.current().nextBytes(random);
    return HexFormat.of().formatHex(random);
  }

  private int nextNumber() throws IOException {
    if (parts == uploads.sizes().parts()) {
      throw uploads.tooLong(String.format("upload of %s: %,d bytes fill %,d", key, count, parts));
    }
    return ++parts;
  }

  /**
   * Makes the object exist. Does nothing if it does, or after {@link #abort}.
   *
   * @throws InterruptedIOException if the thread is interrupted before; the upload is given up
   * @throws IOException if it could not be made sure that it exists, or something failed before
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
    if (upload.isPresent()) {
      complete(upload.get(), sent);
    }
    state = State.DONE;
    release();
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
      store.put(key, part.array(), 0, (int) part.size());
      return List.of();
    } catch (IOException | RuntimeException | Error e) {
      fail(e);
      throw e;
    }
  }

  /**
   * Fails if bytes that were written are in no part: the store, which compares what it was sent,
   * would not notice, and the object would be taken for what was written.
   */
  private void checkComplete(long bytes) throws IOException {
    if (bytes != count) {
      throw new IOException(
          String.format(
              "upload of %s: %,d bytes were written and %,d sent; it is given up, upload again",
              key, count, bytes));
    }
  }

  private void complete(MultipartUpload to, List<UploadedPart> sent) throws IOException {
    try {
      store.completeMultipart(to, sent);
    } catch (StoreException.Unavailable | RuntimeException | Error e) {
      release(); // it may still complete, so it must not be aborted
      throw e;
    } catch (IOException e) {
      discard(e);
      throw e;
    }
  }

  /**
   * Gives up: nothing will exist. Does nothing after {@link #close}.
   *
   * @throws IOException if parts may be left in the store, for a sweep to find
   */
  public void abort() throws IOException {
    lock.lock();
    try {
      if (state == State.OPEN) {
        state = State.ABORTED;
        IOException left = new IOException("upload of " + key + " was given up, not all of it");
        if (!discard(left)) {
          throw left;
        }
      }
    } finally {
      lock.unlock();
    }
  }

  /**
   * Gives up because of a failure: nothing will exist, and {@link #close} says so.
   *
   * @param failure what went wrong; learns if parts may be left in the store
   */
  public void fail(Throwable failure) {
    lock.lock();
    try {
      if (state == State.OPEN) {
        state = State.FAILED;
        discard(failure);
      }
    } finally {
      lock.unlock();
    }
  }

  /**
   * Gives up, unless the writer is in a call that does not end in time.
   *
   * @param reason why
   * @param nanos how long to wait for the writer; none if it is negative
   * @return whether this upload has ended
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

  /** Removes uploads that were begun though nobody learned it: the key is used once. */
  private void removeNameless() throws IOException {
    String prefix = key.substring(0, key.lastIndexOf('/') + 1);
    for (MultipartUpload begun : store.listMultipart(prefix)) {
      if (begun.key().equals(key)) {
        store.abortMultipart(begun);
      }
    }
  }

  /**
   * Removes everything from the store, once no part is on its way any more. Whatever comes of that,
   * the memory is given back.
   *
   * @return whether all was removed; the reason learns what was not
   */
  private boolean discard(Throwable reason) {
    try {
      inFlight.stop(reason);
      return upload.isEmpty() || attempt(reason, () -> store.abortMultipart(upload.get()));
    } finally {
      release();
    }
  }

  /** Something to be done after a failure, that may fail itself. */
  @FunctionalInterface
  private interface Removal {
    void run() throws IOException;
  }

  /** Removes something. An interrupt waits, since an interrupted thread would send nothing. */
  private static boolean attempt(Throwable reason, Removal removal) {
    boolean interrupted = Thread.interrupted();
    try {
      removal.run();
      return true;
    } catch (IOException | RuntimeException | Error e) {
      if (e != reason) {
        reason.addSuppressed(e);
      }
      return false;
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private void release() {
    uploads.buffers().give(part.buffers());
    uploads.ended(this);
  }
}
