// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.store.s3;

import java.util.function.Function;
import software.amazon.awssdk.awscore.AwsRequest;
import software.amazon.awssdk.awscore.AwsRequestOverrideConfiguration;
import software.amazon.awssdk.core.SdkPlugin;
import software.amazon.awssdk.services.s3.DelegatingS3Client;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.S3Request;

/**
 * An {@link S3Client} of another owner, who may use it for other requests with other settings.
 * Every request brings the settings it needs. Closing this does nothing: the client belongs to its
 * owner.
 */
final class BorrowedClient extends DelegatingS3Client {
  private final SdkPlugin settings;

  /**
   * A client with some settings.
   *
   * @param owned client of another owner
   * @param settings settings of the requests, beside or in place of the client's own
   */
  BorrowedClient(S3Client owned, SdkPlugin settings) {
    super(owned);
    this.settings = settings;
  }

  @Override
  @SuppressWarnings("unchecked") // a request is built to be one of its own type
  protected <T extends S3Request, R> R invokeOperation(T request, Function<T, R> operation) {
    AwsRequestOverrideConfiguration.Builder configuration =
        request
            .overrideConfiguration()
            .map(AwsRequestOverrideConfiguration::toBuilder)
            .orElseGet(AwsRequestOverrideConfiguration::builder);
    AwsRequest with =
        request.toBuilder()
            .overrideConfiguration(configuration.addPlugin(settings).build())
            .build();
    return operation.apply((T) with);
  }

  @Override
  public void close() {}
}
