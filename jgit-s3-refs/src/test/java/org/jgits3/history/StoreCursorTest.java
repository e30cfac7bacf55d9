// SPDX-License-Identifier: Apache-2.0
package org.jgits3.history;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.zip.DeflaterOutputStream;
import org.jgits3.history.HistoryUnavailableException.Reason;
import org.jgits3.internal.fleet.NameTable;
import org.jgits3.internal.function.IoConsumer;
import org.jgits3.store.Crc32c;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Cursors that nothing wrote, with the right checksum. */
class StoreCursorTest {
  private static byte[] cursor(IoConsumer<DataOutputStream> content) throws IOException {
    ByteArrayOutputStream file = new ByteArrayOutputStream();
    file.writeBytes("jgit-s3 cursor 1\n".getBytes(US_ASCII));
    try (DataOutputStream out = new DataOutputStream(new DeflaterOutputStream(file))) {
      content.accept(out);
    }
    new DataOutputStream(file).writeInt(Crc32c.of(file.toByteArray()));
    return file.toByteArray();
  }

  private static void assertUnreadable(byte[] bytes) {
    assertThatThrownBy(() -> StoreCursor.parse(bytes))
        .isInstanceOfSatisfying(
            HistoryUnavailableException.class,
            e -> assertThat(e.reason()).isEqualTo(Reason.UNREADABLE_CURSOR))
        .hasMessageStartingWith("the cursor is a damaged cursor: ")
        .hasMessageEndingWith("; begin anew");
  }

  @ParameterizedTest
  @CsvSource({"-1,0", "0,-1", "1,2000000000", "2000000000,2000000000", "1000,100", "1,100"})
  void cursor_that_says_it_has_other_repositories_than_bytes_is_unreadable(int size, int length)
      throws Exception {
    assertUnreadable(
        cursor(
            out -> {
              out.writeUTF("memory:");
              out.writeInt(size);
              out.writeInt(length);
            }));
  }

  private static void repository(DataOutputStream out, String name) throws IOException {
    out.writeUTF(name);
    out.write(new byte[StoreCursor.VALUE_BYTES]);
  }

  @ParameterizedTest
  @CsvSource({"b,a", "a,a"})
  void repositories_in_another_order_are_unreadable(String first, String second) throws Exception {
    assertUnreadable(
        cursor(
            out -> {
              out.writeUTF("memory:");
              out.writeInt(2);
              out.writeInt(2 * NameTable.length(new byte[1], StoreCursor.VALUE_BYTES));
              repository(out, first);
              repository(out, second);
            }));
  }

  @Test
  void location_that_is_no_text_is_unreadable() throws Exception {
    assertUnreadable(cursor(out -> out.write(new byte[] {0, 2, (byte) 0xff, (byte) 0xff})));
  }
}
