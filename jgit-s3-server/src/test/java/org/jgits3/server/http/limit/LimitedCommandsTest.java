// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.http.limit;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import org.eclipse.jgit.transport.PacketLineIn.InputOverLimitIOException;
import org.junit.jupiter.api.Test;

class LimitedCommandsTest {
  /** A limit of 48 bytes is one packet, beside those that end commands and options. */
  private static InputStream limited(String request) {
    return new LimitedCommands(new ByteArrayInputStream(request.getBytes(US_ASCII)), 48);
  }

  @Test
  void a_pack_passes_whatever_it_begins_with() throws IOException {
    String request = "0005a00000000PACK0004000400040004";
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
}
