// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.store.s3;

import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import software.amazon.awssdk.core.exception.SdkClientException;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.services.s3.DelegatingS3Client;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.S3Request;

/**
 * An {@link S3Client} that fails with exceptions of the SDK alone. The SDK lets others through,
 * which say as little about the outcome of the request as a broken connection:
 *
 * <ul>
 *   <li>The time of a request is over while it waits for a connection, or has just got one. The SDK
 *       interrupts the thread and takes the connection away then. What the HTTP client throws
 *       depends on the step it has reached: {@code CancellationException}, {@code
 *       ConnectionShutdownException}, {@code NullPointerException}.
 *   <li>An answer breaks off before the first byte of its XML, which the SDK's parser reports as an
 *       {@code UncheckedIOException}.
 * </ul>
 */
final class SdkFailures extends DelegatingS3Client {
  private static final Logger LOG = LoggerFactory.getLogger(SdkFailures.class);

  SdkFailures(S3Client client) {
    super(client);
  }

  @Override
  protected <T extends S3Request, R> R invokeOperation(T request, Function<T, R> operation) {
    try {
      return operation.apply(request);
    } catch (SdkException e) {
      throw e;
    } catch (RuntimeException e) {
      LOG.debug("the client failed", e);
      throw SdkClientException.create("the client failed: " + e, e);
    }
  }
}
