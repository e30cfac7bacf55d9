// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.store.upload;

import java.io.IOException;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jgits3.store.DelegatingObjectStore;
import org.jgits3.store.MemoryObjectStore;
import org.jgits3.store.MultipartUpload;
import org.jgits3.store.PartBody;
import org.jgits3.store.StoreException;
import org.jgits3.store.UploadedPart;

/**
 * A store that checks parts and forgets their bytes, so that many large uploads cost nothing.
 * Objects made of parts have a size and no content. Safe for use by many threads.
 */
class PartStore extends DelegatingObjectStore {
  private final AtomicInteger uploads = new AtomicInteger();
  private final Set<MultipartUpload> open = Collections.synchronizedSet(new HashSet<>());
  private final Map<String, List<UploadedPart>> completed = new ConcurrentHashMap<>();

  PartStore() {
    super(new MemoryObjectStore());
  }

  /** Parts of an object, in order. */
  List<UploadedPart> parts(String key) {
    return completed.getOrDefault(key, List.of());
  }

  @Override
  public MultipartUpload beginMultipart(String key, Map<String, String> metadata) {
    MultipartUpload upload =
        new MultipartUpload(key, Integer.toString(uploads.incrementAndGet()), metadata);
    open.add(upload);
    return upload;
  }

  @Override
  public UploadedPart uploadPart(MultipartUpload upload, int number, PartBody body)
      throws IOException {
    int before = body.crc32c();
    if (body.crc32c() != before) {
      throw new AssertionError("part " + number + " changed while it was sent");
    }
    return new UploadedPart(number, "tag", body.size(), before);
  }

  @Override
  public void completeMultipart(MultipartUpload upload, List<UploadedPart> parts)
      throws IOException {
    if (!open.remove(upload)) {
      throw new StoreException.Missing(upload.key(), upload + " is gone", null);
    }
    completed.put(upload.key(), List.copyOf(parts));
  }

  @Override
  public void abortMultipart(MultipartUpload upload) {
    open.remove(upload);
  }

  @Override
  public List<MultipartUpload> listMultipart(String prefix) {
    return open.stream().filter(u -> u.key().startsWith(prefix)).toList();
  }
}
