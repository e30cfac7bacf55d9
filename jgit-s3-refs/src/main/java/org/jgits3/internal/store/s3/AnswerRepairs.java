// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.store.s3;

import java.net.HttpURLConnection;
import software.amazon.awssdk.core.SdkRequest;
import software.amazon.awssdk.core.interceptor.Context;
import software.amazon.awssdk.core.interceptor.ExecutionAttributes;
import software.amazon.awssdk.core.interceptor.ExecutionInterceptor;
import software.amazon.awssdk.http.Header;
import software.amazon.awssdk.http.SdkHttpResponse;
import software.amazon.awssdk.services.s3.model.GetObjectRequest;
import software.amazon.awssdk.services.s3.model.PutObjectRequest;
import software.amazon.awssdk.services.s3.model.UploadPartRequest;

/** Corrects the status of two answers, of which the SDK would make too much or too little. */
final class AnswerRepairs implements ExecutionInterceptor {
  /** Marks a success that was a 304; no server sends it. */
  private static final String NOT_MODIFIED = "x-jgit-s3-not-modified";

  @Override
  public SdkHttpResponse modifyHttpResponse(
      Context.ModifyHttpResponse context, ExecutionAttributes attributes) {
    SdkHttpResponse response = context.httpResponse();
    if (isNotModified(context.request(), response)) {
      return response.copy(
          r -> r.statusCode(HttpURLConnection.HTTP_OK).putHeader(NOT_MODIFIED, "true"));
    }
    if (isFalseSuccess(context.request(), response)) {
      return response.copy(r -> r.statusCode(HttpURLConnection.HTTP_INTERNAL_ERROR));
    }
    return response;
  }

  /**
   * Tests whether the object has the version that the read named. This is by far the most frequent
   * answer, for which the SDK would create an exception, after running a parser on the missing
   * body. A 304 to an unconditional request stays a failure.
   */
  private static boolean isNotModified(SdkRequest request, SdkHttpResponse response) {
    return response.statusCode() == HttpURLConnection.HTTP_NOT_MODIFIED
        && request instanceof GetObjectRequest get
        && get.ifNoneMatch() != null;
  }

  /** Tests whether a success was a 304. */
  static boolean wasNotModified(SdkHttpResponse response) {
    return response.firstMatchingHeader(NOT_MODIFIED).isPresent();
  }

  /**
   * Tests whether an answer to a write has status 200, a document and no ETag: the server met the
   * error after it had sent the status. The SDK looks for no error in such an answer, but reads the
   * error code once the status is that of a failure.
   */
  private static boolean isFalseSuccess(SdkRequest request, SdkHttpResponse response) {
    return (request instanceof PutObjectRequest || request instanceof UploadPartRequest)
        && response.isSuccessful()
        && response.firstMatchingHeader("ETag").isEmpty()
        && !response.firstMatchingHeader(Header.CONTENT_LENGTH).orElse("").equals("0");
  }
}
