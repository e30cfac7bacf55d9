// SPDX-License-Identifier: Apache-2.0
package org.jgits3.store;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import org.eclipse.jgit.annotations.Nullable;

/**
 * A store whose objects are arrays: has their ranges, and the parts of uploads. It lists no
 * multipart uploads. Safe for use by many threads.
 */
public abstract class ArraysObjectStore implements ObjectStore {
  private final Map<String, Map<Integer, byte[]>> uploads = new ConcurrentHashMap<>();
  private final AtomicLong begun = new AtomicLong();

  /**
   * An object.
   *
   * @param bytes its bytes, which nothing changes
   * @param version its version
   */
  @SuppressWarnings("ArrayRecordComponent") // never changed
  public record Stored(byte[] bytes, ObjectVersion version) {}

  /**
   * Finds an object for a request.
   *
   * @param request kind of the request
   * @param key its key
   * @return the object; null if there is none
   * @throws IOException if the store does not answer
   */
  @Nullable
  protected abstract Stored find(String request, String key) throws IOException;

  private Stored existing(String request, String key) throws IOException {
    Stored found = find(request, key);
    if (found == null) {
      throw new StoreException.Missing(key, location() + key + ": no such object", null);
    }
    return found;
  }

  /** Answers a conditional read, with a copy of the bytes. */
  protected static GetResult answer(@Nullable Stored found, Optional<ObjectVersion> known) {
    if (found == null) {
      return new GetResult.Missing();
    }
    return known.filter(found.version::equals).isPresent()
        ? new GetResult.NotModified()
        : new GetResult.Found(found.bytes.clone(), found.version);
  }

  @Override
  public final ObjectVersion read(ReadRequest range) throws IOException {
    Stored found = existing("READ", range.key());
    if (range.expected().filter(Predicate.not(found.version::equals)).isPresent()) {
      throw new StoreException.Changed(
          range.key(), location() + range.key() + ": was replaced", null);
    }
    if (range.offset() + range.length() > found.bytes.length) {
      throw new StoreException.Corrupt(
          range.key(), location() + range.key() + ": ends early", null);
    }
    System.arraycopy(
        found.bytes, (int) range.offset(), range.dst(), range.dstOffset(), range.length());
    return found.version;
  }

  @Override
  public final boolean compare(ReadRequest held) throws IOException {
    byte[] found = existing("COMPARE", held.key()).bytes;
    int from = (int) held.offset();
    int in = held.dstOffset();
    return from + held.length() <= found.length
        && Arrays.equals(found, from, from + held.length(), held.dst(), in, in + held.length());
  }

  @Override
  public final MultipartUpload beginMultipart(String key, Map<String, String> metadata) {
    MultipartUpload upload = new MultipartUpload(key, "u" + begun.incrementAndGet(), metadata);
    uploads.put(upload.uploadId(), new ConcurrentSkipListMap<>());
    return upload;
  }

  @Override
  public UploadedPart uploadPart(MultipartUpload upload, int number, PartBody body)
      throws IOException {
    try (InputStream in = body.open()) {
      uploads.get(upload.uploadId()).put(number, in.readAllBytes());
    }
    return new UploadedPart(number, "p" + number, body.size(), body.crc32c());
  }

  /** Joins the parts of an upload, which stay until it is aborted: it may be completed again. */
  protected final byte[] whole(MultipartUpload upload) throws StoreException {
    ByteArrayOutputStream whole = new ByteArrayOutputStream();
    Map<Integer, byte[]> sent = uploads.get(upload.uploadId());
    if (sent == null) {
      throw new StoreException.Missing(upload.key(), upload + " was aborted or completed", null);
    }
    sent.values().forEach(whole::writeBytes);
    return whole.toByteArray();
  }

  @Override
  public final void abortMultipart(MultipartUpload upload) {
    uploads.remove(upload.uploadId());
  }

  @Override
  public final List<MultipartUpload> listMultipart(String prefix) {
    return List.of();
  }

  /** Keeps the objects: several managers share a store, and each closes it. */
  @Override
  public final void close() {}
}
