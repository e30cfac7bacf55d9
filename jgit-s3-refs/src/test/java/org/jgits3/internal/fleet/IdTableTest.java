// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.fleet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.StreamCorruptedException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Tables of the ids of repositories. */
class IdTableTest {
  private static final int VALUE_BYTES = 3;

  /** An id that is the later the higher its number is, also as unsigned bytes. */
  private static String id(int number) {
    return HexFormat.of().toHexDigits((byte) number) + "0".repeat(30);
  }

  private static byte[] value(int number) {
    return new byte[] {(byte) number, 0, (byte) -number};
  }

  private static IdTable table(Integer... numbers) {
    IdTable.Builder builder = new IdTable.Builder(0, VALUE_BYTES);
    for (int number : numbers) {
      builder.add(id(number), value(number));
    }
    return builder.build();
  }

  private static byte[] valueAt(IdTable table, int i) {
    return Arrays.copyOfRange(table.array(), table.value(i), table.value(i) + VALUE_BYTES);
  }

  private static byte[] written(IdTable table) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    table.write(new DataOutputStream(bytes));
    return bytes.toByteArray();
  }

  private static IdTable read(byte[] bytes, long most) throws IOException {
    return IdTable.read(new DataInputStream(new ByteArrayInputStream(bytes)), VALUE_BYTES, most);
  }

  private static void has(IdTable table, int... numbers) {
    assertThat(table.size()).isEqualTo(numbers.length);
    for (int i = 0; i < numbers.length; i++) {
      assertThat(table.id(i)).isEqualTo(id(numbers[i]));
      assertThat(table.find(id(numbers[i]))).isEqualTo(i);
      assertThat(valueAt(table, i)).isEqualTo(value(numbers[i]));
    }
  }

  @Test
  void ids_are_sorted_as_unsigned_bytes_in_whatever_order_they_are_added() {
    List<Integer> numbers = new ArrayList<>(List.of(0, 1, 127, 128, 200, 255));
    for (int i = 0; i < 20; i++) {
      Collections.shuffle(numbers, new Random(i));
      has(table(numbers.toArray(Integer[]::new)), 0, 1, 127, 128, 200, 255);
    }
  }

  @Test
  void id_that_is_not_there_has_a_negative_index() {
    IdTable table = table(1, 200);
    for (int number : new int[] {0, 2, 199, 255}) {
      assertThat(table.find(id(number))).isNegative();
    }
    assertThat(IdTable.empty(VALUE_BYTES).find(id(1))).isNegative();
  }

  @Test
  void id_that_is_added_twice_has_the_last_value() {
    IdTable.Builder builder = new IdTable.Builder(1, VALUE_BYTES);
    builder.add(id(2), value(7));
    builder.add(id(1), value(1));
    builder.add(id(2), value(2));
    has(builder.build(), 1, 2);
  }

  @Test
  void records_of_another_table_are_taken_with_their_values() {
    IdTable other = table(1, 2, 3);
    IdTable.Builder builder = new IdTable.Builder(0, VALUE_BYTES);
    builder.add(other, 2);
    builder.add(other, 0);
    has(builder.build(), 1, 3);
  }

  @Test
  void written_table_is_read_again() throws Exception {
    byte[] bytes = written(table(3, 255, 1));
    has(read(bytes, bytes.length), 1, 3, 255);
    assertThat(bytes).hasSize(Integer.BYTES + 3 * (16 + VALUE_BYTES));
    assertThat(read(written(table()), 0).size()).isZero();
  }

  @Test
  void bytes_that_are_no_table_are_refused() throws Exception {
    byte[] bytes = written(table(1, 2));
    byte[] swapped = bytes.clone();
    swapped[Integer.BYTES] = 9;
    assertThatThrownBy(() -> read(swapped, bytes.length))
        .isInstanceOf(StreamCorruptedException.class)
        .hasMessage("its repositories are not in order");
    assertThatThrownBy(() -> read(bytes, 37)).isInstanceOf(StreamCorruptedException.class);
    assertThatThrownBy(() -> read(new byte[] {-1, 0, 0, 0}, bytes.length))
        .isInstanceOf(StreamCorruptedException.class);
    assertThatThrownBy(() -> read(new byte[] {127, 0, 0, 0}, Long.MAX_VALUE))
        .isInstanceOf(StreamCorruptedException.class);
    assertThatThrownBy(() -> read(Arrays.copyOf(bytes, bytes.length - 1), bytes.length))
        .isInstanceOf(EOFException.class);
  }
}
