// SPDX-License-Identifier: Apache-2.0
package org.jgits3.examples.store;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
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
import org.jgits3.store.GetResult;
import org.jgits3.store.ListedObject;
import org.jgits3.store.MultipartUpload;
import org.jgits3.store.ObjectInfo;
import org.jgits3.store.ObjectStore;
import org.jgits3.store.ObjectVersion;
import org.jgits3.store.PartBody;
import org.jgits3.store.Precondition;
import org.jgits3.store.PutOutcome;
import org.jgits3.store.ReadRequest;
import org.jgits3.store.StoreException;
import org.jgits3.store.UploadedPart;

/**
 * Objects in memory. A conditional write is one {@code compute} of a concurrent map, which compares
 * and writes in one step. Its answers are never lost, so that no outcome is unknown.
 */
final class MemoryObjectStore implements ObjectStore {
  private final String url;
  private final Contents contents;

  /** Contents that all stores of one URL share. */
  static final class Contents {
    private final Map<String, Stored> objects = new ConcurrentSkipListMap<>();
    private final Map<String, Upload> uploads = new ConcurrentHashMap<>();
    private final AtomicLong numbers = new AtomicLong();

    private Stored stored(byte[] body, Map<String, String> metadata) {
      return new Stored(
          body, new ObjectVersion(Long.toString(numbers.incrementAndGet())), metadata);
    }
  }

  /** An object; nothing changes its bytes. */
  @SuppressWarnings("ArrayRecordComponent") // compared by its version
  private record Stored(byte[] bytes, ObjectVersion version, Map<String, String> metadata) {}

  /** An upload with the parts that it has so far, by their numbers. */
  private record Upload(MultipartUpload begun, Map<Integer, byte[]> parts) {}

  MemoryObjectStore(String url, Contents contents) {
    this.url = url;
    this.contents = contents;
  }

  @Override
  public GetResult get(String key, Optional<ObjectVersion> known, Duration limit) {
    Stored stored = contents.objects.get(key);
    if (stored == null) {
      return new GetResult.Missing();
    }
    return known.equals(Optional.of(stored.version()))
        ? new GetResult.NotModified()
        : new GetResult.Found(stored.bytes().clone(), stored.version());
  }

  @Override
  public ObjectVersion read(ReadRequest range) throws IOException {
    Stored stored = existing(range.key());
    if (range.expected().isPresent() && !range.expected().get().equals(stored.version())) {
      throw new StoreException.Changed(range.key(), at(range.key()) + ": was replaced", null);
    }
    if (!has(stored, range)) {
      throw new StoreException.Corrupt(
          range.key(),
          at(range.key()) + ": has " + stored.bytes().length + " bytes, fewer than were read",
          null);
    }
    System.arraycopy(
        stored.bytes(), (int) range.offset(), range.dst(), range.dstOffset(), range.length());
    return stored.version();
  }

  @Override
  public boolean compare(ReadRequest held) throws IOException {
    Stored stored = existing(held.key());
    int from = (int) held.offset();
    int to = from + held.length();
    int in = held.dstOffset();
    return has(stored, held)
        && Arrays.equals(stored.bytes(), from, to, held.dst(), in, in + held.length());
  }

  private static boolean has(Stored stored, ReadRequest range) {
    return range.offset() + range.length() <= stored.bytes().length;
  }

  private Stored existing(String key) throws StoreException {
    Stored stored = contents.objects.get(key);
    if (stored == null) {
      throw new StoreException.Missing(key, at(key) + ": no such object", null);
    }
    return stored;
  }

  @Override
  public Optional<ObjectInfo> stat(String key) {
    return Optional.ofNullable(contents.objects.get(key))
        .map(stored -> new ObjectInfo(stored.bytes().length, stored.version(), stored.metadata()));
  }

  @Override
  public PutOutcome putIf(String key, byte[] body, Precondition precondition) {
    Stored written = contents.stored(body.clone(), Map.of());
    Stored now =
        contents.objects.compute(
            key, (k, before) -> holds(precondition, before) ? written : before);
    return now != null && now.version().equals(written.version())
        ? new PutOutcome.Won(written.version())
        : new PutOutcome.Lost();
  }

  private static boolean holds(Precondition precondition, Stored before) {
    return precondition instanceof Precondition.Matches matches
        ? before != null && before.version().equals(matches.version())
        : before == null;
  }

  /** Keeps an object that is there: it has the same bytes, and keeps its version. */
  @Override
  public void put(String key, byte[] src, int offset, int length) {
    byte[] body = Arrays.copyOfRange(src, offset, offset + length);
    contents.objects.putIfAbsent(key, contents.stored(body, Map.of()));
  }

  @Override
  public MultipartUpload beginMultipart(String key, Map<String, String> metadata) {
    String id = Long.toString(contents.numbers.incrementAndGet());
    MultipartUpload upload = new MultipartUpload(key, id, metadata);
    contents.uploads.put(id, new Upload(upload, new ConcurrentHashMap<>()));
    return upload;
  }

  @Override
  public UploadedPart uploadPart(MultipartUpload upload, int number, PartBody body)
      throws IOException {
    try (InputStream in = body.open()) {
      parts(upload).put(number, in.readAllBytes());
    }
    return new UploadedPart(number, Integer.toString(number), body.size(), body.crc32c());
  }

  private Map<Integer, byte[]> parts(MultipartUpload upload) throws StoreException {
    Upload found = contents.uploads.get(upload.uploadId());
    if (found == null) {
      throw new StoreException.Missing(
          upload.key(), at(upload.key()) + ": the upload was completed or aborted", null);
    }
    return found.parts();
  }

  /** Does nothing if an earlier call has made the object, which length and metadata tell. */
  @Override
  public void completeMultipart(MultipartUpload upload, List<UploadedPart> parts)
      throws IOException {
    Stored made = contents.objects.get(upload.key());
    if (made != null
        && made.bytes().length == parts.stream().mapToLong(UploadedPart::size).sum()
        && made.metadata().equals(upload.metadata())) {
      return;
    }
    Map<Integer, byte[]> bodies = parts(upload);
    ByteArrayOutputStream whole = new ByteArrayOutputStream();
    parts.forEach(part -> whole.writeBytes(bodies.get(part.number())));
    contents.objects.put(upload.key(), contents.stored(whole.toByteArray(), upload.metadata()));
    abortMultipart(upload);
  }

  @Override
  public void abortMultipart(MultipartUpload upload) {
    contents.uploads.remove(upload.uploadId());
  }

  @Override
  public List<MultipartUpload> listMultipart(String prefix) {
    return contents.uploads.values().stream()
        .map(Upload::begun)
        .filter(upload -> upload.key().startsWith(prefix))
        .toList();
  }

  @Override
  public void list(String prefix, Consumer<ListedObject> each) {
    contents.objects.forEach(
        (key, stored) -> {
          if (key.startsWith(prefix)) {
            each.accept(
                new ListedObject(key, stored.bytes().length, Optional.of(stored.version())));
          }
        });
  }

  @Override
  public void delete(Collection<String> keys) {
    keys.forEach(contents.objects::remove);
  }

  private String at(String key) {
    return url + "/" + key;
  }

  @Override
  public String location() {
    return url;
  }

  /** Keeps the objects: others have the store open. */
  @Override
  public void close() {}
}
