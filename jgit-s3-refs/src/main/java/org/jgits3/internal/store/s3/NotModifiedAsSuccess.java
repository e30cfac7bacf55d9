// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.store.s3;

import java.net.HttpURLConnection;
import software.amazon.awssdk.core.interceptor.Context;
import software.amazon.awssdk.core.interceptor.ExecutionAttributes;
import software.amazon.awssdk.core.interceptor.ExecutionInterceptor;
import software.amazon.awssdk.http.SdkHttpResponse;
import software.amazon.awssdk.services.s3.model.GetObjectRequest;

/**
 * Turns a 304 into a success if the read named the version it knows. This is by far the most
 * frequent answer, for which the SDK would create an exception, after running a parser on the
 * missing body.
 *
 * <p>A 304 to an unconditional request stays a failure.
 */
final class NotModifiedAsSuccess implements ExecutionInterceptor {
  /** Marks a success that was a 304; no server sends it. */
  private static final String MARK = "x-jgit-s3-not-modified";

  @Override
  public SdkHttpResponse modifyHttpResponse(
      Context.ModifyHttpResponse context, ExecutionAttributes attributes) {
    SdkHttpResponse response = context.httpResponse();
    return response.statusCode() == HttpURLConnection.HTTP_NOT_MODIFIED
            && context.request() instanceof GetObjectRequest get
            && get.ifNoneMatch() != null
        ? response.copy(r -> r.statusCode(HttpURLConnection.HTTP_OK).putHeader(MARK, "true"))
        : response;
  }

  /** Tests whether a success was a 304. */
  static boolean wasNotModified(SdkHttpResponse response) {
    return response.firstMatchingHeader(MARK).isPresent();
  }
}
