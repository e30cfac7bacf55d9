// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.store;

import java.io.IOException;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.jgits3.internal.store.metrics.ObservedObjectStore;
import org.jgits3.store.MultipartUpload;
import org.jgits3.store.ObjectStore;
import org.jgits3.store.PartBody;
import org.jgits3.store.Precondition;
import org.jgits3.store.PutOutcome;
import org.jgits3.store.StoreException;
import org.jgits3.store.UploadedPart;

/** A store of which this process only reads. Each write fails before a request is sent. */
public final class ReadOnlyObjectStore extends ObservedObjectStore {
  /**
   * Reads from a store.
   *
   * @param store the store; closed with this
   */
  public ReadOnlyObjectStore(ObjectStore store) {
    super(store, (kind, outcome, bytes, nanos) -> {}); // which passes on all that is not here
  }

  private StoreException.Refused refused(String key) {
    return new StoreException.Refused(
        key, location() + ": was opened read-only; nothing was written to " + key, null);
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
}
