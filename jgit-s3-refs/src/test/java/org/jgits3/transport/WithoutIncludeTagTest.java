// SPDX-License-Identifier: Apache-2.0
package org.jgits3.transport;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Random;
import org.eclipse.jgit.errors.PackProtocolException;
import org.jgits3.testing.Seeds;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class WithoutIncludeTagTest {
  private static WithoutIncludeTag request(String text) {
    return request(text, true);
  }

  private static WithoutIncludeTag request(String text, boolean tagsHidden) {
    return new WithoutIncludeTag(
        new ByteArrayInputStream(text.getBytes(US_ASCII)), () -> tagsHidden);
  }

  private static String read(String text) throws IOException {
    return new String(request(text).readAllBytes(), US_ASCII);
  }

  @Test
  void packet_is_left_out_with_its_line_feed_and_without() throws IOException {
    assertThat(read("0011command=fetch0001000finclude-tag0009done\n0000"))
        .isEqualTo("0011command=fetch00010009done\n0000");
    assertThat(read("0010include-tag\n0010include-tag\n0000")).isEqualTo("0000");
  }

  @Test
  void packet_stays_where_no_tags_are_hidden() throws IOException {
    String text = "0010include-tag\n0000";
    assertThat(new String(request(text, false).readAllBytes(), US_ASCII)).isEqualTo(text);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "0000",
        "00010000",
        "0010include-tags0000",
        "0014want include-tag0000",
      })
  void all_else_stays_as_it_is(String text) throws IOException {
    assertThat(read(text)).isEqualTo(text);
  }

  @ParameterizedTest
  @ValueSource(strings = {"00010002", "00", "nonsense", "0003", "000", "0010include-ta"})
  void request_that_is_no_packets_is_refused(String text) {
    assertThatThrownBy(() -> read(text)).isInstanceOf(PackProtocolException.class);
  }

  @Seeds(10)
  void reads_of_any_size_give_the_same_bytes(long seed) throws IOException {
    Random random = new Random(seed);
    StringBuilder text = new StringBuilder();
    StringBuilder expected = new StringBuilder();
    for (int i = 0; i < 100; i++) {
      String payload =
          random.nextInt(3) == 0 ? "include-tag\n" : "x".repeat(1 + random.nextInt(3000));
      String packet = String.format("%04x%s", payload.length() + 4, payload);
      text.append(packet);
      expected.append(payload.startsWith("x") ? packet : "");
    }
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    WithoutIncludeTag request = request(text.toString());
    byte[] buffer = new byte[5000];
    int count = 0;
    while (count >= 0) {
      int length = 1 + random.nextInt(buffer.length);
      if (random.nextBoolean()) {
        count = request.read(buffer, 0, length);
        all.write(buffer, 0, Math.max(0, count));
      } else {
        int one = request.read();
        count = one < 0 ? -1 : 1;
        if (one >= 0) {
          all.write(one);
        }
      }
    }
    assertThat(all.toString(US_ASCII)).isEqualTo(expected.toString());
  }
}
