// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.store.s3;

import java.net.HttpURLConnection;
import software.amazon.awssdk.core.SdkRequest;
import software.amazon.awssdk.core.interceptor.Context;
import software.amazon.awssdk.core.interceptor.ExecutionAttributes;
import software.amazon.awssdk.core.interceptor.ExecutionInterceptor;
import software.amazon.awssdk.http.Header;
import software.amazon.awssdk.http.SdkHttpResponse;
import software.amazon.awssdk.services.s3.model.PutObjectRequest;
import software.amazon.awssdk.services.s3.model.UploadPartRequest;

/**
 * Turns an answer to a write into a failure if it has status 200, a document and no ETag: the
 * server met the error after it had sent the status. The SDK looks for no error in such an answer,
 * but reads the error code once the status is that of a failure.
 */
final class ErrorInSuccess implements ExecutionInterceptor {
  @Override
  public SdkHttpResponse modifyHttpResponse(
      Context.ModifyHttpResponse context, ExecutionAttributes attributes) {
    SdkHttpResponse response = context.httpResponse();
    return isWrite(context.request()) && isFalseSuccess(response)
        ? response.copy(r -> r.statusCode(HttpURLConnection.HTTP_INTERNAL_ERROR))
        : response;
  }

  private static boolean isWrite(SdkRequest request) {
    return request instanceof PutObjectRequest || request instanceof UploadPartRequest;
  }

  private static boolean isFalseSuccess(SdkHttpResponse response) {
    return response.isSuccessful()
        && response.firstMatchingHeader("ETag").isEmpty()
        && !response.firstMatchingHeader(Header.CONTENT_LENGTH).orElse("").equals("0");
  }
}
