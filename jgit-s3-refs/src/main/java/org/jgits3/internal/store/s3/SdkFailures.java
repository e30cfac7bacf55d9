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
 * An {@link S3Client} that fails only with exceptions of the SDK. The SDK lets other exceptions
 * through, which leave the outcome of the request as unknown as a broken connection does:
 *
 * <ul>
 *   <li>A request times out while it waits for a connection, or just after it got one. The SDK then
 *       interrupts the thread and takes the connection away. The exception of the HTTP client
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
