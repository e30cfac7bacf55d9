// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.express;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import software.amazon.awssdk.http.AbortableInputStream;
import software.amazon.awssdk.http.ExecutableHttpRequest;
import software.amazon.awssdk.http.HttpExecuteRequest;
import software.amazon.awssdk.http.HttpExecuteResponse;
import software.amazon.awssdk.http.SdkHttpClient;
import software.amazon.awssdk.http.SdkHttpMethod;
import software.amazon.awssdk.http.SdkHttpResponse;

/**
 * Answers at once, without any network, so that only the client around it takes time: each GET with
 * the same body, each PUT with success after it has read the body. Thread-safe.
 */
final class StubHttpClient implements SdkHttpClient {
  private static final String TAG = "\"0123456789abcdef0123456789abcdef\"";

  private final byte[] body;

  /**
   * A client.
   *
   * @param body what each GET is answered with; not copied
   */
  StubHttpClient(byte[] body) {
    this.body = body;
  }

  @Override
  public ExecutableHttpRequest prepareRequest(HttpExecuteRequest request) {
    return new ExecutableHttpRequest() {
      @Override
      public HttpExecuteResponse call() throws IOException {
        return answer(request);
      }

      @Override
      public void abort() {
        // there is nothing to wait for
      }
    };
  }

  private HttpExecuteResponse answer(HttpExecuteRequest request) throws IOException {
    if (request.contentStreamProvider().isPresent()) {
      try (InputStream sent = request.contentStreamProvider().get().newStream()) {
        sent.transferTo(OutputStream.nullOutputStream());
      }
    }
    boolean get = request.httpRequest().method() == SdkHttpMethod.GET;
    SdkHttpResponse.Builder response =
        SdkHttpResponse.builder()
            .statusCode(200)
            .putHeader("ETag", TAG)
            .putHeader("Content-Length", Integer.toString(get ? body.length : 0));
    InputStream content = get ? new ByteArrayInputStream(body) : InputStream.nullInputStream();
    return HttpExecuteResponse.builder()
        .response(response.build())
        .responseBody(AbortableInputStream.create(content))
        .build();
  }

  @Override
  public String clientName() {
    return "Stub";
  }

  @Override
  public void close() {
    // holds nothing
  }
}
