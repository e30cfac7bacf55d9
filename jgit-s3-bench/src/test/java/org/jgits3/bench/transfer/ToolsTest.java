// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.AwsSessionCredentials;

class ToolsTest {
  private static final URI SERVER = URI.create("https://s3.eu-central-1.amazonaws.com");

  @Test
  void mc_gets_secrets_as_they_are() {
    assertThat(Tools.mcHost(SERVER, AwsBasicCredentials.create("AKIA", "se/cr+et=")))
        .isEqualTo("https://AKIA:se/cr+et=@s3.eu-central-1.amazonaws.com");
  }

  @Test
  void mc_gets_the_token_of_a_role() {
    assertThat(Tools.mcHost(SERVER, AwsSessionCredentials.create("ASIA", "secret", "to+ken/")))
        .isEqualTo("https://ASIA:secret:to+ken/@s3.eu-central-1.amazonaws.com");
  }
}
