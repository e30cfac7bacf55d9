// SPDX-License-Identifier: Apache-2.0
package org.jgits3.store;

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

/**
 * Objects in memory, for tests that go through more interleavings than a disk would stand. Safe for
 * use by many threads.
 */
public class MemoryObjectStore extends ArraysObjectStore {
  private final Map<String, Stored> objects = new ConcurrentSkipListMap<>();
  private final Map<String, Map<String, String>> metadata = new ConcurrentHashMap<>();
  private final AtomicLong versions = new AtomicLong();

  private Stored stored(byte[] src, int offset, int length) {
    byte[] bytes = Arrays.copyOfRange(src, offset, offset + length);
    return new Stored(bytes, version(bytes));
  }

  /** Version of an object that is written now. */
  protected ObjectVersion version(byte[] bytes) {
    return new ObjectVersion("v" + versions.incrementAndGet());
  }

  @Override
  protected final Stored find(String request, String key) {
    return objects.get(key);
  }

  @Override
  public GetResult get(String key, Optional<ObjectVersion> known, Duration limit)
      throws IOException {
    return answer(objects.get(key), known);
  }

  @Override
  public Optional<ObjectInfo> stat(String key) {
    return Optional.ofNullable(objects.get(key))
        .map(
            o ->
                new ObjectInfo(
                    o.bytes().length, o.version(), metadata.getOrDefault(key, Map.of())));
  }

  @Override
  public PutOutcome putIf(String key, byte[] body, Precondition precondition) throws IOException {
    return write(key, body, precondition);
  }

  /** Writes an object if a condition holds. */
  protected final PutOutcome write(String key, byte[] body, Precondition precondition) {
    Stored written = stored(body, 0, body.length);
    Stored now =
        objects.compute(key, (k, before) -> holds(precondition, before) ? written : before);
    return now != null && now.bytes() == written.bytes()
        ? new PutOutcome.Won(written.version())
        : new PutOutcome.Lost();
  }

  private static boolean holds(Precondition precondition, Stored before) {
    return precondition instanceof Precondition.Matches matches
        ? before != null && before.version().equals(matches.version())
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
            each.accept(
                new ListedObject(key, object.bytes().length, Optional.of(object.version())));
          }
        });
  }

  @Override
  public void delete(Collection<String> keys) {
    keys.forEach(objects::remove);
  }

  @Override
  public void completeMultipart(MultipartUpload upload, List<UploadedPart> parts)
      throws StoreException {
    byte[] whole = whole(upload);
    abortMultipart(upload);
    metadata.put(upload.key(), upload.metadata());
    put(upload.key(), whole, 0, whole.length);
  }

  @Override
  public String location() {
    return "memory:";
  }
}
