// SPDX-License-Identifier: Apache-2.0
package org.jgits3.store;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * Objects in memory, for tests that go through more interleavings than a disk would stand. It lists
 * no multipart uploads. Safe for use by many threads.
 */
public final class MemoryObjectStore implements ObjectStore {
  private final Map<String, Stored> objects = new ConcurrentSkipListMap<>();
  private final Map<String, Map<Integer, byte[]>> uploads = new ConcurrentHashMap<>();
  private final AtomicLong versions = new AtomicLong();

  private static final class Stored {
    final byte[] bytes;
    final ObjectVersion version;

    Stored(byte[] bytes, ObjectVersion version) {
      this.bytes = bytes;
      this.version = version;
    }
  }

  private Stored stored(byte[] src, int offset, int length) {
    return new Stored(
        Arrays.copyOfRange(src, offset, offset + length),
        new ObjectVersion("v" + versions.incrementAndGet()));
  }

  private Stored existing(String key) throws StoreException.Missing {
    Stored found = objects.get(key);
    if (found == null) {
      throw new StoreException.Missing(key, location() + key + ": no such object", null);
    }
    return found;
  }

  @Override
  public GetResult get(String key, Optional<ObjectVersion> known, Duration limit) {
    Stored found = objects.get(key);
    if (found == null) {
      return new GetResult.Missing();
    }
    return known.filter(found.version::equals).isPresent()
        ? new GetResult.NotModified()
        : new GetResult.Found(found.bytes.clone(), found.version);
  }

  @Override
  public ObjectVersion read(ReadRequest range, ReadListener listener) throws IOException {
    Stored found = existing(range.key());
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
    listener.begins(found.version);
    listener.until(range.dstOffset() + range.length());
    return found.version;
  }

  @Override
  public boolean compare(ReadRequest held) throws IOException {
    byte[] found = existing(held.key()).bytes;
    int from = (int) held.offset();
    int in = held.dstOffset();
    return from + held.length() <= found.length
        && Arrays.equals(found, from, from + held.length(), held.dst(), in, in + held.length());
  }

  @Override
  public Optional<ObjectInfo> stat(String key) {
    return Optional.ofNullable(objects.get(key))
        .map(o -> new ObjectInfo(o.bytes.length, o.version, Map.of()));
  }

  @Override
  public PutOutcome putIf(String key, byte[] body, Precondition precondition) {
    Stored written = stored(body, 0, body.length);
    Stored now =
        objects.compute(key, (k, before) -> holds(precondition, before) ? written : before);
    return now != null && now.version.equals(written.version)
        ? new PutOutcome.Won(written.version)
        : new PutOutcome.Lost(now == null);
  }

  private static boolean holds(Precondition precondition, Stored before) {
    return precondition instanceof Precondition.Matches matches
        ? before != null && before.version.equals(matches.version())
        : before == null;
  }

  @Override
  public void put(String key, byte[] src, int offset, int length) {
    objects.put(key, stored(src, offset, length));
  }

  @Override
  public void list(String prefix, Consumer<ListedObject> each) {
    objects.forEach(
        (key, object) -> {
          if (key.startsWith(prefix)) {
            each.accept(new ListedObject(key, object.bytes.length, Optional.of(object.version)));
          }
        });
  }

  @Override
  public void delete(Collection<String> keys) {
    keys.forEach(objects::remove);
  }

  @Override
  public MultipartUpload beginMultipart(String key, Map<String, String> metadata) {
    MultipartUpload upload = new MultipartUpload(key, "u" + versions.incrementAndGet(), metadata);
    uploads.put(upload.uploadId(), new ConcurrentSkipListMap<>());
    return upload;
  }

  @Override
  public UploadedPart uploadPart(MultipartUpload upload, int number, PartBody body)
      throws IOException {
    uploads.get(upload.uploadId()).put(number, body.open().readAllBytes());
    return new UploadedPart(number, "p" + number, body.size(), body.crc32c());
  }

  @Override
  public void completeMultipart(MultipartUpload upload, List<UploadedPart> parts) {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    uploads.remove(upload.uploadId()).values().forEach(all::writeBytes);
    put(upload.key(), all.toByteArray(), 0, all.size());
  }

  @Override
  public void abortMultipart(MultipartUpload upload) {
    uploads.remove(upload.uploadId());
  }

  @Override
  public List<MultipartUpload> listMultipart(String prefix) {
    return List.of();
  }

  @Override
  public String location() {
    return "memory:";
  }

  /** Keeps the objects: several managers share a store, and each closes it. */
  @Override
  public void close() {}
}
