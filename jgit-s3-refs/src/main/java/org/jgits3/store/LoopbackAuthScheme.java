// SPDX-License-Identifier: Apache-2.0
package org.jgits3.store;

import java.net.URI;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import software.amazon.awssdk.http.SdkHttpRequest;
import software.amazon.awssdk.http.auth.aws.scheme.AwsV4AuthScheme;
import software.amazon.awssdk.http.auth.aws.signer.AwsV4HttpSigner;
import software.amazon.awssdk.http.auth.spi.signer.AsyncSignRequest;
import software.amazon.awssdk.http.auth.spi.signer.AsyncSignedRequest;
import software.amazon.awssdk.http.auth.spi.signer.SignRequest;
import software.amazon.awssdk.http.auth.spi.signer.SignedRequest;
import software.amazon.awssdk.identity.spi.AwsCredentialsIdentity;
import software.amazon.awssdk.identity.spi.IdentityProvider;
import software.amazon.awssdk.identity.spi.IdentityProviders;

/**
 * Signs requests to a server on this machine as if they went over HTTPS. Over plain HTTP the SDK
 * signs a SHA-256 of every body, so that nobody on the way can change it, and both ends compute it
 * for all that is uploaded; between two processes of one machine there is nobody on the way. What
 * guards against accidents, the CRC32C of the body, is a signed header either way.
 *
 * <p>Safe for use by many threads.
 */
public final class LoopbackAuthScheme implements AwsV4AuthScheme {
  private static final String HTTP = "http";
  private static final String HTTPS = "https";
  private static final int HTTP_PORT = 80;

  private final AwsV4AuthScheme standard = AwsV4AuthScheme.create();

  /**
   * Whether this may be used with a server.
   *
   * @param endpoint the server
   * @return true if its address is one of this machine's loopback interface, by plain HTTP
   */
  public static boolean fits(URI endpoint) {
    return HTTP.equalsIgnoreCase(endpoint.getScheme())
        && endpoint.getHost() != null
        && isLoopback(endpoint.getHost().toLowerCase(Locale.ROOT))
        // Of a request to the default port, the port is not among the headers that are signed.
        && endpoint.getPort() > 0
        && endpoint.getPort() != HTTP_PORT;
  }

  private static boolean isLoopback(String host) {
    return host.equals("localhost")
        || host.equals("[::1]")
        || host.matches("127\\.\\d{1,3}\\.\\d{1,3}\\.\\d{1,3}");
  }

  @Override
  public String schemeId() {
    return standard.schemeId();
  }

  @Override
  public IdentityProvider<AwsCredentialsIdentity> identityProvider(IdentityProviders providers) {
    return standard.identityProvider(providers);
  }

  @Override
  public AwsV4HttpSigner signer() {
    return new Signer(standard.signer());
  }

  /** What the standard signer sees is HTTPS, what is sent is not. */
  private record Signer(AwsV4HttpSigner standard) implements AwsV4HttpSigner {
    @Override
    public SignedRequest sign(SignRequest<? extends AwsCredentialsIdentity> request) {
      SignedRequest signed = standard.sign(overHttps(request));
      return signed.copy(b -> b.request(over(HTTP, signed.request())));
    }

    private static <T extends AwsCredentialsIdentity> SignRequest<T> overHttps(
        SignRequest<T> request) {
      return request.copy(b -> b.request(over(HTTPS, request.request())));
    }

    private static SdkHttpRequest over(String protocol, SdkHttpRequest request) {
      return request.toBuilder().protocol(protocol).build();
    }

    /** As the SDK does: the library makes no such requests. */
    @Override
    public CompletableFuture<AsyncSignedRequest> signAsync(
        AsyncSignRequest<? extends AwsCredentialsIdentity> request) {
      return standard.signAsync(request);
    }
  }
}
