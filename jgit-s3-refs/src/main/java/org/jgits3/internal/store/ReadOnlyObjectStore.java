// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.store;

import java.io.IOException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
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

/** A store of which this process only reads. Each write fails before a request is sent. */
public final class ReadOnlyObjectStore implements ObjectStore {
  private final ObjectStore store;

  /**
   * Reads from a store.
   *
   * @param store the store; closed with this
   */
  public ReadOnlyObjectStore(ObjectStore store) {
    this.store = store;
  }

  private StoreException.Refused refused(String key) {
    return new StoreException.Refused(
        key, location() + ": was opened read-only; nothing was written to " + key, null);
  }

  @Override
  public GetResult get(String key, Optional<ObjectVersion> known, Duration limit)
      throws IOException {
    return store.get(key, known, limit);
  }

  @Override
  public ObjectVersion read(ReadRequest range) throws IOException {
    return store.read(range);
  }

  @Override
  public boolean compare(ReadRequest held) throws IOException {
    return store.compare(held);
  }

  @Override
  public Optional<ObjectInfo> stat(String key) throws IOException {
    return store.stat(key);
  }

  @Override
  public List<MultipartUpload> listMultipart(String prefix) throws IOException {
    return store.listMultipart(prefix);
  }

  @Override
  public void list(String prefix, Consumer<ListedObject> each) throws IOException {
    store.list(prefix, each);
  }

  @Override
  public PutOutcome putIf(String key, byte[] body, Precondition precondition) throws IOException {
    throw refused(key);
  }

  @Override
  public void put(String key, byte[] src, int offset, int length) throws IOException {
    throw refused(key);
  }

  @Override
  public MultipartUpload beginMultipart(String key, Map<String, String> metadata)
      throws IOException {
    throw refused(key);
  }

  @Override
  public UploadedPart uploadPart(MultipartUpload upload, int number, PartBody body)
      throws IOException {
    throw refused(upload.key());
  }

  @Override
  public void completeMultipart(MultipartUpload upload, List<UploadedPart> parts)
      throws IOException {
    throw refused(upload.key());
  }

  @Override
  public void abortMultipart(MultipartUpload upload) throws IOException {
    throw refused(upload.key());
  }

  @Override
  public void delete(Collection<String> keys) throws IOException {
    if (!keys.isEmpty()) {
      throw refused(keys.iterator().next());
    }
  }

  @Override
  public Optional<String> service() {
    return store.service();
  }

  @Override
  public void endRetries() {
    store.endRetries();
  }

  @Override
  public String location() {
    return store.location();
  }

  @Override
  public void close() throws IOException {
    store.close();
  }
}
