// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.store.s3;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;
import software.amazon.awssdk.core.exception.SdkClientException;
import software.amazon.awssdk.core.interceptor.Context;
import software.amazon.awssdk.core.interceptor.ExecutionAttribute;
import software.amazon.awssdk.core.interceptor.ExecutionAttributes;
import software.amazon.awssdk.core.interceptor.ExecutionInterceptor;

/** Reads answers to listings as {@link ListingPage}, and leaves an empty one to the SDK. */
final class ListingAnswers implements ExecutionInterceptor {
  /**
   * Attribute of the request that receives the page. The SDK accepts each name only once, but this
   * class may be reloaded.
   */
  static final ExecutionAttribute<AtomicReference<ListingPage>> ANSWER =
      new ExecutionAttribute<>("JgitS3Listing-" + UUID.randomUUID());

  private static final byte[] EMPTY = "<ListBucketResult/>".getBytes(US_ASCII);

  @Override
  public Optional<InputStream> modifyHttpResponseContent(
      Context.ModifyHttpResponse context, ExecutionAttributes attributes) {
    AtomicReference<ListingPage> answer = attributes.getAttribute(ANSWER);
    if (answer == null || !context.httpResponse().isSuccessful()) {
      return context.responseBody();
    }
    try (InputStream in = context.responseBody().orElseGet(InputStream::nullInputStream)) {
      answer.set(ListingPage.read(in));
    } catch (IOException e) {
      throw SdkClientException.create(e.getMessage(), e);
    }
    return Optional.of(new ByteArrayInputStream(EMPTY));
  }
}
