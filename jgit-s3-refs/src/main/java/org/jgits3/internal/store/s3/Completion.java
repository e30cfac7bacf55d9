// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.store.s3;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jgits3.internal.store.s3.S3Failure.Kind;
import org.jgits3.store.MultipartUpload;
import org.jgits3.store.StoreException;
import org.jgits3.store.UploadedPart;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.core.exception.SdkServiceException;

/**
 * Completes a multipart upload. A server with a slow disk may need minutes to concatenate parts of
 * gigabytes. Meanwhile S3 sends white space; other servers send nothing, until the client times out
 * and retries. The answer to a retry says nothing about the object: versitygw 1.8 reports success
 * while the first request is still in progress, and a server that has finished no longer knows the
 * upload. Therefore, after a lost first answer, only a HEAD of the object decides. Used by one
 * thread, once.
 */
final class Completion {
  /** Longest wait for the object, over all requests. */
  static final Duration PATIENCE = Duration.ofMinutes(10);

  /** Least time limit of a request. */
  private static final Duration SHORTEST = Duration.ofSeconds(1);

  /** Time between two HEAD requests when the completion is not retried. */
  private static final long PAUSE_SECONDS = 5;

  private final S3Uploads uploads;
  private final MultipartUpload upload;
  private final List<UploadedPart> parts;
  private final Retries.Run retries;
  private final Duration patience;
  private final long start = System.nanoTime();

  Completion(
      S3Uploads uploads,
      MultipartUpload upload,
      List<UploadedPart> parts,
      Retries.Run retries,
      Duration patience) {
    this.uploads = uploads;
    this.upload = upload;
    this.parts = parts;
    this.retries = retries;
    this.patience = patience;
  }

  /**
   * Returns when the object exists.
   *
   * @throws StoreException.Unavailable if it does not exist but may still appear
   * @throws StoreException if it will never exist
   */
  void run() throws StoreException {
    Optional<S3Failure> outcome = attempt();
    if (outcome.isEmpty()) {
      return;
    }
    S3Failure failure = outcome.get();
    if (failure.undecided()) {
      lookAndAskAgain(failure);
    } else if (failure.kind() != Kind.NO_SUCH_UPLOAD || !isThere(failure)) {
      throw failure.toException(upload.key(), location());
    }
  }

  /**
   * Looks for the object and retries the request in turn. No answer to a retry is final, not even a
   * refusal.
   */
  private void lookAndAskAgain(S3Failure lost) throws StoreException {
    S3Failure failure = lost;
    while (!isThere(failure)) {
      if (failure.kind() == Kind.NO_SUCH_UPLOAD) {
        throw failure.toException(upload.key(), location());
      }
      if (!failure.undecided() || left().isNegative()) {
        throw undecided(failure.reason(), failure);
      }
      if (retries.goesOnAfter(failure)) {
        failure = attempt().orElse(failure);
      } else if (failure.cause() instanceof SdkServiceException) {
        throw undecided(failure.reason(), failure);
      } else {
        pause(failure); // the store may still be at work without an answer
      }
    }
  }

  private Duration left() {
    return patience.minusNanos(System.nanoTime() - start);
  }

  private Optional<S3Failure> attempt() throws StoreException.Corrupt {
    try {
      Duration left = left();
      uploads.attempt(upload, parts, left.compareTo(SHORTEST) < 0 ? SHORTEST : left);
      return Optional.empty();
    } catch (SdkException e) {
      return Optional.of(S3Failure.of(e));
    }
  }

  private boolean isThere(S3Failure failure) throws StoreException.Unavailable {
    try {
      return uploads.isThere(upload, parts);
    } catch (IOException e) {
      StoreException.Unavailable undecided = undecided(failure.reason(), failure);
      undecided.addSuppressed(e); // the outcome stays in doubt
      throw undecided;
    }
  }

  private void pause(S3Failure failure) throws StoreException.Unavailable {
    try {
      TimeUnit.SECONDS.sleep(PAUSE_SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw undecided("interrupted after " + failure.reason(), failure);
    }
  }

  private StoreException.Unavailable undecided(String why, S3Failure failure) {
    return new StoreException.Unavailable(
        upload.key(), location() + ": completion undecided (" + why + ")", failure.cause());
  }

  private String location() {
    return uploads.location(upload);
  }
}
