// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.store.s3;

import java.net.HttpURLConnection;
import software.amazon.awssdk.core.interceptor.Context;
import software.amazon.awssdk.core.interceptor.ExecutionAttributes;
import software.amazon.awssdk.core.interceptor.ExecutionInterceptor;
import software.amazon.awssdk.http.SdkHttpResponse;
import software.amazon.awssdk.services.s3.model.GetObjectRequest;

/**
 * Makes a success of a 304 to a read that named the version it knows. It is the answer that is
 * hoped for, and by far the most frequent one; left to the SDK it would be an exception, made by a
 * parser for documents out of a body that is not there.
 *
 * <p>A 304 that nobody asked for stays a failure.
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

  /** Whether a success was a 304. */
  static boolean wasNotModified(SdkHttpResponse response) {
    return response.firstMatchingHeader(MARK).isPresent();
  }
}
