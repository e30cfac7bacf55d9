// SPDX-License-Identifier: Apache-2.0
package org.jgits3.store;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ThreadLocalRandom;
import java.util.zip.CRC32C;

/**
 * A stream to one object of unknown length, in one pass and one buffer.
 *
 * <p>Content of up to one part is one PUT; anything longer is a multipart upload, whose parts grow
 * so that 10,000 of them hold 5 TiB. Nothing is visible in the store before {@link #close} returns;
 * {@link #abort}, or a failure, leaves nothing behind. Used by one thread.
 */
public final class StreamingUpload extends OutputStream {
  /** First size of a part in bytes. */
  public static final int PART_SIZE = 8 << 20;

  /** Parts of one size before the size doubles: with the largest, 10,000 parts hold 5 TiB. */
  private static final int PARTS_PER_SIZE = 800;

  private static final int MAX_PART_SIZE = 1 << 30;

  private static final int FIRST_BUFFER = 64 << 10;

  private final ObjectStore store;
  private final String key;
  private final CRC32C crc = new CRC32C();
  private final List<UploadedPart> parts = new ArrayList<>();

  private byte[] buffer = new byte[FIRST_BUFFER];
  private int filled;
  private int partSize = PART_SIZE;
  private long count;
  private MultipartUpload upload;
  private State state = State.OPEN;

  private enum State {
    OPEN,
    DONE,
    ABORTED,
    FAILED
  }

  /**
   * A stream to an object that does not exist yet. Does no request.
   *
   * @param store where it goes
   * @param key name that is used only once
   */
  public StreamingUpload(ObjectStore store, String key) {
    this.store = Objects.requireNonNull(store, "store");
    this.key = Objects.requireNonNull(key, "key");
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
    write(new byte[] {(byte) b}, 0, 1);
  }

  @Override
  public void write(byte[] src, int offset, int length) throws IOException {
    Objects.checkFromIndexSize(offset, length, src.length);
    if (state != State.OPEN) {
      throw new IOException("upload of " + key + " has ended");
    }
    crc.update(src, offset, length);
    count += length;
    try {
      append(src, offset, length);
    } catch (IOException | RuntimeException | Error e) {
      fail(e); // part of src may be missing, so that what followed would be at the wrong place
      throw e;
    }
  }

  private void append(byte[] src, int offset, int length) throws IOException {
    int at = offset;
    int left = length;
    while (left > 0) {
      if (filled == partSize) {
        uploadPart();
      }
      int n = Math.min(left, partSize - filled);
      grow(filled + n);
      System.arraycopy(src, at, buffer, filled, n);
      filled += n;
      at += n;
      left -= n;
    }
  }

  private void grow(int needed) {
    if (needed > buffer.length) {
      int size = Math.max(needed, (int) Math.min(partSize, 2L * buffer.length));
      buffer = Arrays.copyOf(buffer, size);
    }
  }

  private void uploadPart() throws IOException {
    if (upload == null) {
      upload = store.beginMultipart(key, Map.of("upload-token", token()));
    }
    if (Thread.interrupted()) {
      throw new InterruptedIOException("upload of " + key + " was interrupted");
    }
    parts.add(store.uploadPart(upload, parts.size() + 1, buffer, 0, filled));
    filled = 0;
    if (parts.size() % PARTS_PER_SIZE == 0) {
      partSize = Math.min(2 * partSize, MAX_PART_SIZE);
    }
  }

  private static String token() {
    byte[] random = new byte[16];
    ThreadLocalRandom.current().nextBytes(random);
    return HexFormat.of().formatHex(random);
  }

  /**
   * Makes the object exist. Does nothing if it does, or after {@link #abort}.
   *
   * @throws IOException if it could not be made sure that it exists, or something failed before
   */
  @Override
  public void close() throws IOException {
    if (state == State.FAILED) {
      throw new IOException("upload of " + key + " failed before");
    }
    if (state != State.OPEN) {
      return;
    }
    try {
      if (upload != null && filled > 0) {
        uploadPart();
      }
    } catch (IOException | RuntimeException | Error e) {
      fail(e);
      throw e;
    }
    state = State.FAILED; // unless the store acknowledges it
    if (upload == null) {
      store.put(key, buffer, 0, filled);
    } else {
      complete();
    }
    state = State.DONE;
    buffer = null;
  }

  private void complete() throws IOException {
    try {
      store.completeMultipart(upload, parts);
    } catch (StoreException.Unavailable e) {
      throw e; // it may still complete, so it must not be aborted
    } catch (IOException e) {
      abortAfter(e);
      throw e;
    }
  }

  /**
   * Gives up: nothing will exist. Does nothing after {@link #close}.
   *
   * @throws IOException if parts may be left in the store, for a sweep to find
   */
  public void abort() throws IOException {
    if (state == State.OPEN) {
      state = State.ABORTED;
      buffer = null;
      if (upload != null) {
        store.abortMultipart(upload);
      }
    }
  }

  /**
   * Gives up because of a failure: nothing will exist, and {@link #close} says so.
   *
   * @param failure what went wrong; learns if parts may be left in the store
   */
  public void fail(Throwable failure) {
    if (state == State.OPEN) {
      state = State.FAILED;
      buffer = null;
      abortAfter(failure);
    }
  }

  private void abortAfter(Throwable failure) {
    if (upload != null) {
      try {
        store.abortMultipart(upload);
      } catch (IOException e) {
        failure.addSuppressed(e);
      }
    }
  }
}
