// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.events;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.security.InvalidKeyException;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.HexFormat;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Posts signed bodies to a URL, one at a time, so that their order is kept. Used by one thread.
 *
 * <p>The header {@value #SIGNATURE} is {@code sha256=} and the HMAC-SHA256 of the body with the
 * secret, in hex.
 */
public final class Webhook {
  static final String SIGNATURE = "X-Jgit-S3-Signature";
  private static final String ALGORITHM = "HmacSHA256";
  private static final Duration TIMEOUT = Duration.ofSeconds(10);
  private static final int OK = 200;
  private static final int NEXT_CLASS = 300;

  private final URI url;
  private final SecretKeySpec secret;
  private final CompletableFuture<?> stopped;
  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).connectTimeout(TIMEOUT).build();

  /**
   * Creates a webhook. Does no request.
   *
   * @param url where to post
   * @param secret key of the signatures, not empty
   * @param stopped ends a request under way when it completes
   */
  public Webhook(URI url, byte[] secret, CompletableFuture<?> stopped) {
    this.url = url;
    this.secret = new SecretKeySpec(secret, ALGORITHM);
    this.stopped = stopped;
  }

  /**
   * Posts a body, once.
   *
   * @param json the body
   * @throws IOException unless the answer was 2xx; the receiver may have the body nevertheless
   */
  public void post(byte[] json) throws IOException {
    HttpRequest request =
        HttpRequest.newBuilder(url)
            .timeout(TIMEOUT)
            .header("Content-Type", "application/json")
            .header(SIGNATURE, "sha256=" + signature(json))
            .POST(BodyPublishers.ofByteArray(json))
            .build();
    CompletableFuture<HttpResponse<Void>> answer =
        client.sendAsync(request, BodyHandlers.discarding());
    try {
      CompletableFuture.anyOf(answer, stopped).join();
      if (!answer.isDone()) {
        answer.cancel(true);
        throw new IOException("stopped");
      }
      int status = answer.join().statusCode();
      if (status < OK || status >= NEXT_CLASS) {
        throw new IOException("answered " + status);
      }
    } catch (CompletionException e) {
      Throwable cause = e.getCause();
      String reason =
          cause.getMessage() == null ? cause.getClass().getSimpleName() : cause.getMessage();
      throw new IOException(reason, cause);
    }
  }

  private String signature(byte[] body) {
    try {
      Mac mac = Mac.getInstance(ALGORITHM);
      mac.init(secret);
      return HexFormat.of().formatHex(mac.doFinal(body));
    } catch (NoSuchAlgorithmException | InvalidKeyException e) {
      throw new IllegalStateException("every Java platform has " + ALGORITHM, e);
    }
  }

  @Override
  public String toString() {
    return "webhook at " + url.getHost(); // the rest may hold a secret
  }
}
