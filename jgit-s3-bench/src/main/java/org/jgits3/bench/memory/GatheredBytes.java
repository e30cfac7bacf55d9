// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.memory;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import org.reactivestreams.Subscriber;
import org.reactivestreams.Subscription;
import software.amazon.awssdk.core.ResponseBytes;
import software.amazon.awssdk.core.async.AsyncResponseTransformer;
import software.amazon.awssdk.core.async.SdkPublisher;
import software.amazon.awssdk.services.s3.model.GetObjectResponse;

/**
 * Gathers the body of an answer in an array, with or without each of the three changes to the SDK's
 * own way that <a href="https://github.com/aws/aws-sdk-java-v2/pull/4355">a proposal of 2023</a>
 * has measured one by one.
 *
 * <p>For one answer. Signals arrive one after the other.
 */
final class GatheredBytes
    implements AsyncResponseTransformer<GetObjectResponse, ResponseBytes<GetObjectResponse>> {
  private final Changes changes;
  private final CompletableFuture<byte[]> gathered = new CompletableFuture<>();
  private volatile GetObjectResponse response;

  /**
   * Improvements over the SDK.
   *
   * @param sized A1: the array is made as large as Content-Length says, instead of growing
   * @param fixed A2: it is a plain array, not that of a stream, which is copied at the end; only
   *     with A1
   * @param shared B: the result takes the array as it is, instead of a copy
   */
  record Changes(boolean sized, boolean fixed, boolean shared) {}

  /** Target of the bytes. */
  private interface Sink {
    void add(ByteBuffer bytes);

    byte[] finish();
  }

  GatheredBytes(Changes changes) {
    if (changes.fixed() && !changes.sized()) {
      throw new IllegalArgumentException("an array that cannot grow needs its size");
    }
    this.changes = changes;
  }

  @Override
  public CompletableFuture<ResponseBytes<GetObjectResponse>> prepare() {
    return gathered.thenApply(
        bytes ->
            changes.shared()
                ? ResponseBytes.fromByteArrayUnsafe(response, bytes)
                : ResponseBytes.fromByteArray(response, bytes));
  }

  @Override
  public void onResponse(GetObjectResponse answer) {
    response = answer;
  }

  @Override
  public void onStream(SdkPublisher<ByteBuffer> body) {
    int length = Math.toIntExact(response.contentLength());
    Sink sink = changes.fixed() ? new FixedArray(length) : new GrowingArray(startOf(length));
    body.subscribe(new Gathering(sink));
  }

  private int startOf(int length) {
    return changes.sized() ? length : 32;
  }

  @Override
  public void exceptionOccurred(Throwable error) {
    gathered.completeExceptionally(error);
  }

  private final class Gathering implements Subscriber<ByteBuffer> {
    private final Sink sink;

    Gathering(Sink sink) {
      this.sink = sink;
    }

    @Override
    public void onSubscribe(Subscription subscription) {
      subscription.request(Long.MAX_VALUE);
    }

    @Override
    public void onNext(ByteBuffer bytes) {
      sink.add(bytes);
    }

    @Override
    public void onError(Throwable error) {
      gathered.completeExceptionally(error);
    }

    @Override
    public void onComplete() {
      gathered.complete(sink.finish());
    }
  }

  /** The SDK's way: a copy of each chunk, a stream that doubles its array, a copy at the end. */
  private static final class GrowingArray implements Sink {
    private final ByteArrayOutputStream stream;

    GrowingArray(int size) {
      stream = new ByteArrayOutputStream(size);
    }

    @Override
    public void add(ByteBuffer bytes) {
      byte[] chunk = new byte[bytes.remaining()];
      bytes.get(chunk);
      stream.writeBytes(chunk);
    }

    @Override
    public byte[] finish() {
      return stream.toByteArray();
    }
  }

  private static final class FixedArray implements Sink {
    private final ByteBuffer array;

    FixedArray(int size) {
      array = ByteBuffer.allocate(size);
    }

    @Override
    public void add(ByteBuffer bytes) {
      array.put(bytes);
    }

    @Override
    public byte[] finish() {
      return array.array();
    }
  }
}
