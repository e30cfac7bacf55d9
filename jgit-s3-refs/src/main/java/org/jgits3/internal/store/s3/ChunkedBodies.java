// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.store.s3;

import java.util.Objects;
import java.util.stream.Stream;
import software.amazon.awssdk.core.interceptor.Context;
import software.amazon.awssdk.core.interceptor.ExecutionAttributes;
import software.amazon.awssdk.core.interceptor.ExecutionInterceptor;
import software.amazon.awssdk.http.SdkHttpRequest;

/**
 * Notes with a failure that the body of its request was sent in chunks with a trailer, as an {@code
 * S3Client} of another owner does unless it is told otherwise. Many stores do not know that form.
 */
final class ChunkedBodies implements ExecutionInterceptor {
  /** The note. */
  private static final class SentInChunks extends Exception {
    SentInChunks() {
      super("sent as aws-chunked", null, false, false);
    }
  }

  @Override
  public Throwable modifyException(Context.FailedExecution failed, ExecutionAttributes ignored) {
    if (failed.httpRequest().filter(ChunkedBodies::isChunked).isPresent()) {
      failed.exception().addSuppressed(new SentInChunks());
    }
    return failed.exception();
  }

  private static boolean isChunked(SdkHttpRequest request) {
    return request.firstMatchingHeader("x-amz-decoded-content-length").isPresent();
  }

  /** Returns what to change, if the request of a failure was sent in chunks. */
  static String advice(Throwable failure) {
    boolean chunked =
        Stream.iterate(failure, Objects::nonNull, Throwable::getCause)
            .flatMap(e -> Stream.of(e.getSuppressed()))
            .anyMatch(SentInChunks.class::isInstance);
    return chunked
        ? "; its body was sent as aws-chunked: build the S3Client with"
            + " serviceConfiguration(s -> s.chunkedEncodingEnabled(false)) and"
            + " requestChecksumCalculation(WHEN_REQUIRED)"
        : "";
  }
}
