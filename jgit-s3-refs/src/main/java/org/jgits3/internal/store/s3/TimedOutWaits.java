// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.store.s3;

import java.util.concurrent.CancellationException;
import java.util.function.Function;
import software.amazon.awssdk.core.exception.ApiCallAttemptTimeoutException;
import software.amazon.awssdk.services.s3.DelegatingS3Client;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.S3Request;

/**
 * An {@link S3Client} that fails with a time-out if the time of a request is over while it waits
 * for a connection. The SDK interrupts the thread and cancels the wait then. If the wait sees both,
 * it throws an exception that the SDK does not take for a time-out.
 */
final class TimedOutWaits extends DelegatingS3Client {
  TimedOutWaits(S3Client client) {
    super(client);
  }

  @Override
  protected <T extends S3Request, R> R invokeOperation(T request, Function<T, R> operation) {
    try {
      return operation.apply(request);
    } catch (CancellationException e) {
      throw ApiCallAttemptTimeoutException.builder()
          .message("no connection was free in time")
          .cause(e)
          .build();
    }
  }
}
