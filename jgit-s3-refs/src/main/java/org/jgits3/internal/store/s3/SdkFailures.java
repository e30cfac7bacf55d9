// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.store.s3;

import java.io.UncheckedIOException;
import java.util.concurrent.CancellationException;
import java.util.function.Function;
import org.apache.hc.client5.http.impl.ConnectionShutdownException;
import software.amazon.awssdk.core.exception.ApiCallAttemptTimeoutException;
import software.amazon.awssdk.core.exception.SdkClientException;
import software.amazon.awssdk.services.s3.DelegatingS3Client;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.S3Request;

/**
 * An {@link S3Client} that fails with exceptions of the SDK alone, also where the SDK lets another
 * one through:
 *
 * <ul>
 *   <li>The time of a request is over while it waits for a connection, or has just got one. The SDK
 *       interrupts the thread and cancels the wait then. If the HTTP client sees both, it throws an
 *       exception that the SDK does not take for a time-out.
 *   <li>An answer breaks off before the first byte of its XML, which the SDK's parser reports as an
 *       {@link UncheckedIOException}.
 * </ul>
 */
final class SdkFailures extends DelegatingS3Client {
  SdkFailures(S3Client client) {
    super(client);
  }

  @Override
  protected <T extends S3Request, R> R invokeOperation(T request, Function<T, R> operation) {
    try {
      return operation.apply(request);
    } catch (CancellationException | ConnectionShutdownException e) {
      throw ApiCallAttemptTimeoutException.builder()
          .message("no connection was free in time")
          .cause(e)
          .build();
    } catch (UncheckedIOException e) {
      throw SdkClientException.create("the answer broke off: " + e.getCause().getMessage(), e);
    }
  }
}
