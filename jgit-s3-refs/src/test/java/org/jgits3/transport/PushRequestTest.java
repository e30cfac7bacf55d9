// SPDX-License-Identifier: Apache-2.0
package org.jgits3.transport;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import org.eclipse.jgit.errors.PackProtocolException;
import org.eclipse.jgit.transport.PacketLineIn.InputOverLimitIOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PushRequestTest {
  /** A limit of 48 bytes is one packet, beside those that end commands and options. */
  private static InputStream limited(String request) {
    return new PushRequest(new ByteArrayInputStream(request.getBytes(US_ASCII)), 48);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "0005a00000000PACK0004000400040004",
        "0005a0000",
        "",
        "00",
        "0003",
        "00a0 and no more"
      })
  void a_pack_passes_whatever_it_begins_with_and_what_is_no_push(String request)
      throws IOException {
    assertThat(limited(request).readAllBytes()).asString(US_ASCII).isEqualTo(request);
  }

  @Test
  void what_follows_too_many_packets_can_be_skipped_packet_by_packet() throws IOException {
    try (InputStream request = limited("0005a0005b0005c0005d0005e0000")) {
      assertThat(request.readNBytes(15)).asString(US_ASCII).isEqualTo("0005a0005b0005c");
      assertThatExceptionOfType(InputOverLimitIOException.class).isThrownBy(request::read);
      assertThat(request.readAllBytes()).asString(US_ASCII).isEqualTo("0005d0005e0000");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "%1$s 0000000000000000000000000000000000000000 refs/heads/x",
        "0000000000000000000000000000000000000000 %1$s refs/heads/x",
        "0000000000000000000000000000000000000000\u00fc%1$s refs/heads/x",
        "shallow %1$s",
        "shallow %1$s and more\n"
      })
  void many_ids_of_one_hash_code_are_refused(String line) throws IOException {
    StringBuilder lines = new StringBuilder();
    for (int i = 0; i < 1_500; i++) {
      String packet = line.formatted("%08x".formatted(i) + "0".repeat(32));
      lines.append("%04x".formatted(4 + packet.getBytes(UTF_8).length)).append(packet);
    }
    byte[] commands = lines.append("0000").toString().getBytes(UTF_8);
    try (InputStream request = new PushRequest(new ByteArrayInputStream(commands), 0)) {
      assertThatExceptionOfType(PackProtocolException.class)
          .isThrownBy(request::readAllBytes)
          .withMessageContaining("alike");
      assertThat(request.readAllBytes()).asString(UTF_8).endsWith("0000").startsWith("00");
    }
  }

  /** As after the header of a certificate, where JGit takes an empty packet for an empty line. */
  @ParameterizedTest
  @ValueSource(strings = {"0004", "0001"})
  void ids_are_counted_after_a_packet_that_does_not_end_the_commands(String packet)
      throws IOException {
    StringBuilder lines = new StringBuilder("000epush-cert\0" + packet);
    for (int i = 0; i < 1_500; i++) {
      lines.append("0034shallow ").append("%08x".formatted(i)).append("0".repeat(32));
    }
    byte[] commands = lines.append("0000").toString().getBytes(UTF_8);
    try (InputStream request = new PushRequest(new ByteArrayInputStream(commands), 0)) {
      assertThatExceptionOfType(PackProtocolException.class)
          .isThrownBy(request::readAllBytes)
          .withMessageContaining("alike");
    }
  }
}
