// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.store.metrics;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.jgits3.store.ChecksumProbe;
import org.jgits3.store.GetResult;
import org.jgits3.store.ListedObject;
import org.jgits3.store.MultipartUpload;
import org.jgits3.store.ObjectInfo;
import org.jgits3.store.ObjectStore;
import org.jgits3.store.ObjectVersion;
import org.jgits3.store.PartBody;
import org.jgits3.store.Precondition;
import org.jgits3.store.PutOutcome;
import org.jgits3.store.ReadListener;
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
   * @param listener told of each request
   */
  public ObservedObjectStore(ObjectStore store, StoreListener listener) {
    this.store = store;
    this.listener = listener;
  }

  /**
   * A request that has an answer.
   *
   * @param <T> the answer
   */
  @FunctionalInterface
  protected interface Request<T> {
    /**
     * Sends it.
     *
     * @return the answer
     * @throws IOException if there is none
     */
    T send() throws IOException;
  }

  /** A request without an answer. */
  @FunctionalInterface
  protected interface Command {
    /**
     * Sends it.
     *
     * @throws IOException if it fails
     */
    void send() throws IOException;
  }

  /** Outcome of a request that returned, and the bytes it moved. */
  private record Ended(RequestOutcome outcome, long bytes) {
    static Ended ok(long bytes) {
      return new Ended(RequestOutcome.OK, bytes);
    }
  }

  /** Derives the outcome of a request from its return value. */
  @FunctionalInterface
  private interface Reading<T> {
    Ended of(T result);
  }

  private <T> T observe(RequestKind kind, Request<T> request, Reading<T> reading)
      throws IOException {
    long start = System.nanoTime();
    T result;
    try {
      result = request.send();
    } catch (IOException | RuntimeException e) {
      listener.requestEnded(kind, RequestOutcome.of(e), 0, System.nanoTime() - start);
      throw e;
    }
    Ended ended = reading.of(result);
    listener.requestEnded(kind, ended.outcome(), ended.bytes(), System.nanoTime() - start);
    return result;
  }

  private void observe(RequestKind kind, Command command, long bytes) throws IOException {
    observe(
        kind,
        () -> {
          command.send();
          return Ended.ok(bytes);
        },
        ended -> ended);
  }

  @Override
  public GetResult get(String key, Optional<ObjectVersion> known) throws IOException {
    return observe(RequestKind.GET, () -> store.get(key, known), ObservedObjectStore::ended);
  }

  @Override
  public GetResult get(String key, Optional<ObjectVersion> known, Duration limit)
      throws IOException {
    return observe(RequestKind.GET, () -> store.get(key, known, limit), ObservedObjectStore::ended);
  }

  private static Ended ended(GetResult result) {
    if (result instanceof GetResult.Found found) {
      return Ended.ok(found.bytes().length);
    }
    return new Ended(
        result instanceof GetResult.Missing ? RequestOutcome.MISSING : RequestOutcome.NOT_MODIFIED,
        0);
  }

  @Override
  public ObjectVersion read(ReadRequest range, ReadListener listener) throws IOException {
    return observe(
        RequestKind.READ, () -> store.read(range, listener), version -> Ended.ok(range.length()));
  }

  @Override
  public Optional<ObjectVersion> compare(
      String key, long offset, byte[] bytes, int bytesOffset, int length) throws IOException {
    return observe(
        RequestKind.READ,
        () -> store.compare(key, offset, bytes, bytesOffset, length),
        version -> Ended.ok(length));
  }

  @Override
  public Optional<ObjectInfo> stat(String key) throws IOException {
    return observe(
        RequestKind.STAT,
        () -> store.stat(key),
        info -> info.isPresent() ? Ended.ok(0) : new Ended(RequestOutcome.MISSING, 0));
  }

  @Override
  public PutOutcome putIf(String key, byte[] body, Precondition precondition) throws IOException {
    return observe(
        RequestKind.PUT_IF,
        () -> store.putIf(key, body, precondition),
        outcome -> {
          if (outcome instanceof PutOutcome.Won) {
            return Ended.ok(body.length);
          }
          return new Ended(
              outcome instanceof PutOutcome.Lost ? RequestOutcome.LOST : RequestOutcome.UNKNOWN, 0);
        });
  }

  @Override
  public void put(String key, byte[] src, int offset, int length) throws IOException {
    observe(RequestKind.PUT, () -> store.put(key, src, offset, length), length);
  }

  @Override
  public MultipartUpload beginMultipart(String key, Map<String, String> metadata)
      throws IOException {
    return observe(
        RequestKind.MULTIPART_BEGIN,
        () -> store.beginMultipart(key, metadata),
        upload -> Ended.ok(0));
  }

  @Override
  public UploadedPart uploadPart(MultipartUpload upload, int number, PartBody body)
      throws IOException {
    return observe(
        RequestKind.PART,
        () -> store.uploadPart(upload, number, body),
        part -> Ended.ok(body.size()));
  }

  @Override
  public void completeMultipart(MultipartUpload upload, List<UploadedPart> parts)
      throws IOException {
    observe(RequestKind.COMPLETE, () -> store.completeMultipart(upload, parts), 0);
  }

  @Override
  public void abortMultipart(MultipartUpload upload) throws IOException {
    observe(RequestKind.ABORT, () -> store.abortMultipart(upload), 0);
  }

  @Override
  public List<MultipartUpload> listMultipart(String prefix) throws IOException {
    return observe(
        RequestKind.LIST_MULTIPART, () -> store.listMultipart(prefix), uploads -> Ended.ok(0));
  }

  @Override
  public void list(String prefix, Consumer<ListedObject> each) throws IOException {
    Pages pages = new Pages(each);
    observe(RequestKind.LIST, () -> store.list(prefix, pages), 0);
  }

  /** Reports a page when the first object of the next one comes. */
  private final class Pages implements Consumer<ListedObject> {
    private final Consumer<ListedObject> each;
    private int onPage;
    private long start = System.nanoTime();

    Pages(Consumer<ListedObject> each) {
      this.each = each;
    }

    @Override
    public void accept(ListedObject object) {
      if (onPage == PAGE) {
        long now = System.nanoTime();
        listener.requestEnded(RequestKind.LIST, RequestOutcome.OK, 0, now - start);
        start = now;
        onPage = 0;
      }
      onPage++;
      each.accept(object);
    }
  }

  @Override
  public void delete(Collection<String> keys) throws IOException {
    List<String> all = new ArrayList<>(keys);
    for (int from = 0; from < all.size(); from += PAGE) {
      List<String> batch = all.subList(from, Math.min(from + PAGE, all.size()));
      observe(RequestKind.DELETE, () -> store.delete(batch), 0);
    }
  }

  @Override
  public void endRetries() {
    store.endRetries();
  }

  @Override
  public Optional<ChecksumProbe> checksumProbe() {
    return store.checksumProbe();
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
