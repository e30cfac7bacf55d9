// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.express;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.http.ExecutableHttpRequest;
import software.amazon.awssdk.http.HttpExecuteRequest;
import software.amazon.awssdk.http.SdkHttpClient;

/** Tests of the bodies sent and read, over a client that never leaves the JVM. */
class ExpressBodiesTest {
  private static final int SIZE = 1000;

  private final ExpressTarget nowhere = ExpressTarget.nowhere(1);
  private final byte[] body = ExpressTarget.body(SIZE);

  @BeforeEach
  void useCredentials() {
    nowhere.useHere();
  }

  @Test
  void body_is_the_same_whenever_it_is_made_and_no_zeros() {
    assertThat(body).isEqualTo(ExpressTarget.body(SIZE));
    assertThat(body).isNotEqualTo(new byte[SIZE]);
  }

  @Test
  void both_engines_read_what_was_written() throws Exception {
    try (S3Calls ours = library(new StubHttpClient(body));
        S3Calls sdk = new SdkCalls(nowhere, new StubHttpClient(body))) {
      assertThat(ours.get("stub", "key")).isEqualTo(body);
      assertThat(sdk.get("stub", "key")).isEqualTo(body);
    }
  }

  @Test
  void body_that_is_another_one_is_found_by_its_checksum() throws Exception {
    byte[] other = body.clone();
    other[SIZE / 2]++;
    try (S3Calls ours = library(new StubHttpClient(other))) {
      assertThatThrownBy(() -> ours.get("stub", "key"))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("s3://stub/key has other bytes");
    }
  }

  @Test
  void put_is_signed_without_a_hash_of_its_body_as_over_tls() throws Exception {
    Recording recording = new Recording(new StubHttpClient(body));
    try (S3Calls ours = library(recording)) {
      ours.put("stub", "key", body);
    }
    assertThat(recording.last.httpRequest().firstMatchingHeader("x-amz-content-sha256"))
        .contains("UNSIGNED-PAYLOAD");
  }

  private S3Calls library(SdkHttpClient http) throws IOException {
    return new LibraryCalls(nowhere, Optional.of(http), body);
  }

  /** Keeps the last request. */
  private static final class Recording implements SdkHttpClient {
    private final SdkHttpClient answers;
    private HttpExecuteRequest last;

    Recording(SdkHttpClient answers) {
      this.answers = answers;
    }

    @Override
    public ExecutableHttpRequest prepareRequest(HttpExecuteRequest request) {
      last = request;
      return answers.prepareRequest(request);
    }

    @Override
    public void close() {
      answers.close();
    }
  }
}
