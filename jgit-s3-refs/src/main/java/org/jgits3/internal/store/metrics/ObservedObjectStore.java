// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.store.metrics;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jgits3.internal.function.IoRunnable;
import org.jgits3.internal.function.IoSupplier;
import org.jgits3.store.GetResult;
import org.jgits3.store.ListedObject;
import org.jgits3.store.MultipartUpload;
import org.jgits3.store.ObjectInfo;
import org.jgits3.store.ObjectStore;
import org.jgits3.store.ObjectVersion;
import org.jgits3.store.PartBody;
import org.jgits3.store.Precondition;
import org.jgits3.store.ProbedService;
import org.jgits3.store.PutOutcome;
import org.jgits3.store.ReadRequest;
import org.jgits3.store.RequestKind;
import org.jgits3.store.RequestOutcome;
import org.jgits3.store.StoreListener;
import org.jgits3.store.UploadedPart;

/**
 * Store that passes requests on to another one and reports each to a {@link StoreListener}.
 *
 * <p>A call counts as one request, except that a listing is reported in pages and a delete in
 * batches of 1,000 keys, the most that S3 takes in one request. Retries within the store are not
 * counted, nor are requests for the rest of a range whose connection broke; its bytes are counted
 * once.
 *
 * <p>Safe for use by many threads if the listener is.
 */
public class ObservedObjectStore implements ObjectStore {
  private static final int PAGE = 1000;

  private final ObjectStore store;
  private final StoreListener listener;

  /**
   * Observes a store.
   *
   * @param store store to pass requests on to; closed with this one
   * @param listener receives each request
   */
  public ObservedObjectStore(ObjectStore store, StoreListener listener) {
    this.store = store;
    this.listener = listener;
  }

  private <T> T observe(RequestKind kind, long bytes, IoSupplier<T> request) throws IOException {
    long start = System.nanoTime();
    T answer;
    try {
      answer = request.get();
    } catch (IOException | RuntimeException e) {
      listener.requestEnded(kind, RequestOutcome.of(e), 0, System.nanoTime() - start);
      throw e;
    }
    RequestOutcome outcome = outcome(answer);
    long moved = answer instanceof GetResult.Found found ? found.bytes().length : bytes;
    listener.requestEnded(
        kind, outcome, outcome == RequestOutcome.OK ? moved : 0, System.nanoTime() - start);
    return answer;
  }

  private static RequestOutcome outcome(Object answer) {
    if (answer instanceof GetResult.NotModified) {
      return RequestOutcome.NOT_MODIFIED;
    }
    if (answer instanceof GetResult.Missing || Optional.empty().equals(answer)) {
      return RequestOutcome.MISSING;
    }
    if (answer instanceof PutOutcome.Lost) {
      return RequestOutcome.LOST;
    }
    return answer instanceof PutOutcome.Unknown ? RequestOutcome.UNKNOWN : RequestOutcome.OK;
  }

  private void command(RequestKind kind, long bytes, IoRunnable command) throws IOException {
    observe(
        kind,
        bytes,
        () -> {
          command.run();
          return kind; // any value that counts as OK
        });
  }

  @Override
  public GetResult get(String key, Optional<ObjectVersion> known, Duration limit)
      throws IOException {
    return observe(RequestKind.GET, 0, () -> store.get(key, known, limit));
  }

  @Override
  public ObjectVersion read(ReadRequest range) throws IOException {
    return observe(RequestKind.READ, range.length(), () -> store.read(range));
  }

  @Override
  public boolean compare(ReadRequest held) throws IOException {
    return observe(RequestKind.READ, held.length(), () -> store.compare(held));
  }

  @Override
  public Optional<ObjectInfo> stat(String key) throws IOException {
    return observe(RequestKind.STAT, 0, () -> store.stat(key));
  }

  @Override
  public PutOutcome putIf(String key, byte[] body, Precondition precondition) throws IOException {
    return observe(RequestKind.PUT_IF, body.length, () -> store.putIf(key, body, precondition));
  }

  @Override
  public void put(String key, byte[] src, int offset, int length) throws IOException {
    command(RequestKind.PUT, length, () -> store.put(key, src, offset, length));
  }

  @Override
  public MultipartUpload beginMultipart(String key, Map<String, String> metadata)
      throws IOException {
    return observe(RequestKind.MULTIPART_BEGIN, 0, () -> store.beginMultipart(key, metadata));
  }

  @Override
  public UploadedPart uploadPart(MultipartUpload upload, int number, PartBody body)
      throws IOException {
    return observe(RequestKind.PART, body.size(), () -> store.uploadPart(upload, number, body));
  }

  @Override
  public void completeMultipart(MultipartUpload upload, List<UploadedPart> parts)
      throws IOException {
    command(RequestKind.COMPLETE, 0, () -> store.completeMultipart(upload, parts));
  }

  @Override
  public void abortMultipart(MultipartUpload upload) throws IOException {
    command(RequestKind.ABORT, 0, () -> store.abortMultipart(upload));
  }

  @Override
  public List<MultipartUpload> listMultipart(String prefix) throws IOException {
    return observe(RequestKind.LIST_MULTIPART, 0, () -> store.listMultipart(prefix));
  }

  @Override
  public void list(String prefix, Consumer<ListedObject> each) throws IOException {
    AtomicLong listed = new AtomicLong();
    AtomicLong start = new AtomicLong(System.nanoTime());
    Consumer<ListedObject> counted =
        object -> {
          if (listed.get() > 0 && listed.get() % PAGE == 0) { // the first of the next page
            long now = System.nanoTime();
            long nanos = now - start.getAndSet(now);
            listener.requestEnded(RequestKind.LIST, RequestOutcome.OK, 0, nanos);
          }
          listed.incrementAndGet();
          each.accept(object);
        };
    command(RequestKind.LIST, 0, () -> store.list(prefix, counted));
  }

  @Override
  public void delete(Collection<String> keys) throws IOException {
    List<String> all = new ArrayList<>(keys);
    for (int from = 0; from < all.size(); from += PAGE) {
      List<String> batch = all.subList(from, Math.min(from + PAGE, all.size()));
      command(RequestKind.DELETE, 0, () -> store.delete(batch));
    }
  }

  @Override
  public void endRetries() {
    store.endRetries();
  }

  @Override
  public Optional<String> service() {
    return store.service();
  }

  @Override
  public Optional<ProbedService> probedService() {
    return store.probedService();
  }

  @Override
  public String location() {
    return store.location();
  }

  @Override
  public void close() throws IOException {
    store.close();
  }

  @Override
  public String toString() {
    return store.toString();
  }
}
