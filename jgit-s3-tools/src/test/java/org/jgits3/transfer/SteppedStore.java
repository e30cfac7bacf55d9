// SPDX-License-Identifier: Apache-2.0
package org.jgits3.transfer;

import java.io.IOException;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.jgits3.internal.function.IoRunnable;
import org.jgits3.internal.function.IoSupplier;
import org.jgits3.store.DelegatingObjectStore;
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
import org.jgits3.store.UploadedPart;

/** A store whose test decides what becomes of each request. */
abstract class SteppedStore extends DelegatingObjectStore {
  SteppedStore(ObjectStore store) {
    super(store);
  }

  /** Sends a request, or does not. */
  abstract <T> T send(IoSupplier<T> request) throws IOException;

  private void run(IoRunnable command) throws IOException {
    send(
        () -> {
          command.run();
          return true;
        });
  }

  @Override
  public GetResult get(String key, Optional<ObjectVersion> known) throws IOException {
    return send(() -> super.get(key, known));
  }

  @Override
  public ObjectVersion read(ReadRequest range) throws IOException {
    return send(() -> super.read(range));
  }

  @Override
  public Optional<ObjectInfo> stat(String key) throws IOException {
    return send(() -> super.stat(key));
  }

  @Override
  public PutOutcome putIf(String key, byte[] body, Precondition precondition) throws IOException {
    return send(() -> super.putIf(key, body, precondition));
  }

  @Override
  public void put(String key, byte[] src, int offset, int length) throws IOException {
    run(() -> super.put(key, src, offset, length));
  }

  @Override
  public MultipartUpload beginMultipart(String key, Map<String, String> metadata)
      throws IOException {
    return send(() -> super.beginMultipart(key, metadata));
  }

  @Override
  public UploadedPart uploadPart(MultipartUpload upload, int number, PartBody body)
      throws IOException {
    return send(() -> super.uploadPart(upload, number, body));
  }

  @Override
  public void completeMultipart(MultipartUpload upload, List<UploadedPart> parts)
      throws IOException {
    run(() -> super.completeMultipart(upload, parts));
  }

  @Override
  public void abortMultipart(MultipartUpload upload) throws IOException {
    run(() -> super.abortMultipart(upload));
  }

  @Override
  public void list(String prefix, Consumer<ListedObject> each) throws IOException {
    run(() -> super.list(prefix, each));
  }

  @Override
  public void delete(Collection<String> keys) throws IOException {
    run(() -> super.delete(keys));
  }

  @Override
  public void close() {
    // Others look at what was left behind.
  }
}
