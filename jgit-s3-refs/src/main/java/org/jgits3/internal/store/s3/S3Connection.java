// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.store.s3;

import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import org.jgits3.store.StoreException;
import org.jgits3.store.StoreLocation;
import org.jgits3.store.StoreOptions;
import software.amazon.awssdk.auth.credentials.DefaultCredentialsProvider;
import software.amazon.awssdk.core.SdkPlugin;
import software.amazon.awssdk.core.SdkServiceClientConfiguration;
import software.amazon.awssdk.core.checksums.RequestChecksumCalculation;
import software.amazon.awssdk.core.checksums.ResponseChecksumValidation;
import software.amazon.awssdk.core.exception.SdkClientException;
import software.amazon.awssdk.http.SdkHttpClient;
import software.amazon.awssdk.http.apache5.Apache5HttpClient;
import software.amazon.awssdk.http.auth.aws.signer.AwsV4FamilyHttpSigner;
import software.amazon.awssdk.http.auth.spi.scheme.AuthSchemeOption;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.regions.providers.DefaultAwsRegionProviderChain;
import software.amazon.awssdk.retries.DefaultRetryStrategy;
import software.amazon.awssdk.services.s3.LegacyMd5Plugin;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.S3ClientBuilder;
import software.amazon.awssdk.services.s3.S3ServiceClientConfiguration;
import software.amazon.awssdk.services.s3.auth.scheme.S3AuthSchemeProvider;
import software.amazon.awssdk.utils.SdkAutoCloseable;

/**
 * The SDK's client of one store. It sends every request once; {@link Retries} repeats those that
 * can be repeated without harm.
 *
 * @param client the client
 * @param used resources of the client, in the order in which they are closed: connections,
 *     credentials
 * @param connections most connections at a time
 */
record S3Connection(S3Client client, List<SdkAutoCloseable> used, int connections)
    implements AutoCloseable {
  private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(5);

  /**
   * Longest silence on a connection. A server may stay silent for long while it completes a large
   * upload.
   */
  private static final Duration SOCKET_TIMEOUT = Duration.ofSeconds(60);

  /**
   * Longest wait for a free connection. Waiting is normal, because the number of connections bounds
   * parallel transfers.
   */
  private static final Duration ACQUISITION_TIMEOUT = Duration.ofMinutes(5);

  /** S3 closes idle connections after about 20 s; a write must not run into that. */
  private static final Duration IDLE_TIMEOUT = Duration.ofSeconds(15);

  /** Sends Content-MD5 with deletions, beside a CRC32: some stores know no other checksum. */
  private static final SdkPlugin DELETIONS_WITH_MD5 = LegacyMd5Plugin.create();

  /** Opens a client that the caller may configure further. */
  static S3Connection open(
      StoreLocation.Bucket bucket, StoreOptions options, Consumer<S3ClientBuilder> configure)
      throws StoreException {
    Region region = region(bucket, options);
    SdkHttpClient http = connections(options);
    DefaultCredentialsProvider credentials = DefaultCredentialsProvider.builder().build();
    S3ClientBuilder client =
        S3Client.builder()
            .httpClient(http)
            .credentialsProvider(credentials)
            .region(region)
            .endpointOverride(options.endpoint().orElse(null))
            .forcePathStyle(options.pathStyle())
            // An extra round trip before each body would cost more than an occasional refused body.
            .serviceConfiguration(s -> s.expectContinueEnabled(false));
    configure.accept(client);
    return new S3Connection(
        new SdkFailures(client.addPlugin(S3Connection::settings).build()),
        List.of(http, credentials),
        options.connections());
  }

  private static SdkHttpClient connections(StoreOptions options) {
    return Apache5HttpClient.builder()
        .maxConnections(options.connections())
        .connectionTimeout(CONNECT_TIMEOUT)
        .socketTimeout(SOCKET_TIMEOUT)
        .connectionAcquisitionTimeout(ACQUISITION_TIMEOUT)
        .connectionMaxIdleTime(IDLE_TIMEOUT)
        .tcpKeepAlive(true)
        .expectContinueEnabled(false)
        .build();
  }

  /**
   * Borrows a client that another program owns.
   *
   * @param owned the client; its connections, credentials, region and endpoint are used
   * @param connections number of its connections
   * @return a connection that leaves the client open
   */
  static S3Connection borrowing(S3Client owned, int connections) {
    S3Client client = new SdkFailures(new BorrowedClient(owned, S3Connection::settings));
    return new S3Connection(client, List.of(), connections);
  }

  /**
   * Has each request sent once, its body as it is and with no checksum but its own, because many
   * stores do not know chunks with a trailer, and has answers understood as S3 means them.
   */
  private static void settings(SdkServiceClientConfiguration.Builder configuration) {
    S3ServiceClientConfiguration.Builder client =
        (S3ServiceClientConfiguration.Builder) configuration;
    DELETIONS_WITH_MD5.configureClient(client);
    S3AuthSchemeProvider schemes = client.authSchemeProvider();
    client
        .overrideConfiguration(
            client.overrideConfiguration().toBuilder()
                .retryStrategy(DefaultRetryStrategy.doNotRetry())
                .addExecutionInterceptor(new AnswerRepairs())
                .addExecutionInterceptor(new TlsFailures())
                .build())
        .requestChecksumCalculation(RequestChecksumCalculation.WHEN_REQUIRED)
        .responseChecksumValidation(ResponseChecksumValidation.WHEN_REQUIRED)
        .authSchemeProvider(
            params ->
                schemes.resolveAuthScheme(params).stream()
                    .map(S3Connection::withoutChunks)
                    .toList());
  }

  private static AuthSchemeOption withoutChunks(AuthSchemeOption scheme) {
    return scheme.copy(
        s -> s.putSignerProperty(AwsV4FamilyHttpSigner.CHUNK_ENCODING_ENABLED, false));
  }

  private static Region region(StoreLocation.Bucket bucket, StoreOptions options)
      throws StoreException {
    if (options.region().isPresent()) {
      return Region.of(options.region().get());
    }
    try {
      return DefaultAwsRegionProviderChain.builder().build().getRegion();
    } catch (SdkClientException e) {
      throw new StoreException.Refused(
          "", bucket + ": no region found; set region in the configuration, or AWS_REGION", e);
    }
  }

  @Override
  public void close() {
    client.close();
    used.forEach(SdkAutoCloseable::close);
  }
}
