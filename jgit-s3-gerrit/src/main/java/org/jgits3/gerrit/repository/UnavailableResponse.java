// SPDX-License-Identifier: Apache-2.0
package org.jgits3.gerrit.repository;

import com.google.common.collect.ImmutableMultimap;
import com.google.gerrit.extensions.restapi.CacheControl;
import com.google.gerrit.extensions.restapi.Response;
import java.net.HttpURLConnection;

/**
 * Answer of REST with status 503. Gerrit 3.14 makes none itself, as it expects an exception, which
 * it answers with 500.
 *
 * @param <T> type of the value, which is sent as with 200
 */
public final class UnavailableResponse<T> extends Response<T> {
  private final T value;

  /** Creates an answer that says why. */
  public UnavailableResponse(T value) {
    this.value = value;
  }

  @Override
  public boolean isNone() {
    return false;
  }

  @Override
  public int statusCode() {
    return HttpURLConnection.HTTP_UNAVAILABLE;
  }

  @Override
  public T value() {
    return value;
  }

  @Override
  public ImmutableMultimap<String, String> headers() {
    return ImmutableMultimap.of();
  }

  @Override
  public CacheControl caching() {
    return CacheControl.NONE;
  }

  @Override
  public Response<T> caching(CacheControl ignored) {
    return this;
  }

  @Override
  public String toString() {
    return "[" + statusCode() + "] " + value;
  }
}
