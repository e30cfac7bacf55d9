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
import org.jgits3.internal.function.IoConsumer;
import org.jgits3.store.Crc32c;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Cursors that nothing wrote, with the right checksum. */
class StoreCursorTest {
  private static final int ID_BYTES = 16;

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

  private static byte[] repositories(int first, int second, String... names) throws IOException {
    return cursor(
        out -> {
          out.writeUTF("memory:");
          out.writeInt(2);
          for (int id : new int[] {first, second}) {
            out.write(id);
            out.write(new byte[ID_BYTES - 1 + StoreCursor.VALUE_BYTES]);
          }
          for (String name : names) {
            out.writeUTF(name);
          }
        });
  }

  @Test
  void cursor_with_a_text_that_is_no_name_is_unreadable() throws Exception {
    assertUnreadable(repositories(1, 2, "a", "a\nb"));
  }

  @Test
  void sound_cursor_is_read() throws Exception {
    StoreCursor cursor = StoreCursor.parse(repositories(1, 2, "a", "b"));
    assertThat(cursor.position("b").orElseThrow().repositoryId()).startsWith("02");
  }

  @ParameterizedTest
  @CsvSource({"2,1", "1,1"})
  void repositories_in_another_order_are_unreadable(int first, int second) throws Exception {
    assertUnreadable(repositories(first, second, "a", "b"));
  }

  @Test
  void cursor_with_fewer_names_than_repositories_is_unreadable() throws Exception {
    assertUnreadable(repositories(1, 2, "a"));
  }

  @Test
  void location_that_is_no_text_is_unreadable() throws Exception {
    assertUnreadable(cursor(out -> out.write(new byte[] {0, 2, (byte) 0xff, (byte) 0xff})));
  }
}
