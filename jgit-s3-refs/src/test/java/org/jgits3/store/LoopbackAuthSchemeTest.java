// SPDX-License-Identifier: Apache-2.0
package org.jgits3.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import software.amazon.awssdk.http.SdkHttpMethod;
import software.amazon.awssdk.http.SdkHttpRequest;
import software.amazon.awssdk.http.auth.aws.signer.AwsV4HttpSigner;
import software.amazon.awssdk.http.auth.spi.signer.HttpSigner;
import software.amazon.awssdk.identity.spi.AwsCredentialsIdentity;

class LoopbackAuthSchemeTest {
  private static final URI PART = URI.create("http://127.0.0.1:9000/bucket/key?partNumber=1");

  private static SdkHttpRequest signed(AwsV4HttpSigner signer, URI uri) {
    return signer
        .sign(
            r ->
                r.identity(AwsCredentialsIdentity.create("id", "secret"))
                    .request(
                        SdkHttpRequest.builder()
                            .method(SdkHttpMethod.PUT)
                            .uri(uri)
                            .putHeader("x-amz-checksum-crc32c", "AAAAAA==")
                            .build())
                    .payload(() -> new ByteArrayInputStream("x".getBytes(StandardCharsets.UTF_8)))
                    .putProperty(AwsV4HttpSigner.SERVICE_SIGNING_NAME, "s3")
                    .putProperty(AwsV4HttpSigner.REGION_NAME, "us-east-1")
                    .putProperty(AwsV4HttpSigner.PAYLOAD_SIGNING_ENABLED, false)
                    .putProperty(
                        HttpSigner.SIGNING_CLOCK, Clock.fixed(Instant.EPOCH, ZoneOffset.UTC)))
        .request();
  }

  private static String header(SdkHttpRequest request, String name) {
    return request.firstMatchingHeader(name).orElseThrow();
  }

  @Test
  void a_body_that_stays_on_the_machine_is_not_hashed_for_its_signature() {
    SdkHttpRequest request = signed(new LoopbackAuthScheme().signer(), PART);

    assertThat(header(request, "x-amz-content-sha256")).isEqualTo("UNSIGNED-PAYLOAD");
    assertThat(request.getUri()).as("goes where it was to go").isEqualTo(PART);
    assertThat(header(request, "Authorization"))
        .as("who asks, and what guards the body against accidents, is signed")
        .contains("x-amz-checksum-crc32c");
  }

  @Test
  void the_signature_is_that_of_the_same_request_over_https() {
    SdkHttpRequest ours = signed(new LoopbackAuthScheme().signer(), PART);
    SdkHttpRequest https =
        signed(AwsV4HttpSigner.create(), URI.create(PART.toString().replace("http:", "https:")));

    assertThat(header(ours, "Authorization")).isEqualTo(header(https, "Authorization"));
    assertThat(header(ours, "Host")).isEqualTo("127.0.0.1:9000");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "http://127.0.0.1:7070",
        "http://localhost:9000",
        "http://[::1]:9000",
        "HTTP://LOCALHOST:1"
      })
  void servers_of_this_machine_fit(String endpoint) {
    assertThat(LoopbackAuthScheme.fits(URI.create(endpoint))).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "https://127.0.0.1:7070",
        "http://127.0.0.1",
        "http://127.0.0.1:80",
        "http://10.0.0.1:9000",
        "http://127.0.0.1.example.org:9000",
        "http://localhost.example.org:9000",
        "http://s3:9000"
      })
  void others_do_not(String endpoint) {
    assertThat(LoopbackAuthScheme.fits(URI.create(endpoint))).isFalse();
  }
}
