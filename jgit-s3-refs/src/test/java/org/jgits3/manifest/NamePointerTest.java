// SPDX-License-Identifier: Apache-2.0
package org.jgits3.manifest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.function.Consumer;
import org.jgits3.internal.commit.ManifestFixture;
import org.jgits3.testing.Holds;
import org.jgits3.testing.RandomSeed;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@Holds(
    "NamePointer, ManifestCodec: A damaged pointer, or a manifest under another id, is refused. "
        + "Only a repair overwrites it.")
class NamePointerTest {
  private static final String WHERE = "memory:/names/r.git";
  private static final String ID = "0123456789abcdef".repeat(2);
  private static final NamePointer POINTER =
      new NamePointer(Optional.of(new NamePointer.Target(ID, 3)), "89abcdef01234567");
  private static final NamePointer FREE = new NamePointer(Optional.empty(), "89abcdef01234567");

  @Test
  void stored_forms_are_on_record() throws IOException {
    assertThat(text(POINTER).replaceAll(" +", " "))
        .isEqualTo(
            "{\"format\":1,\"repositoryId\":\""
                + ID
                + "\",\"epoch\":3,\"nonce\":\"89abcdef01234567\" ,\"crc32c\":\"5dc161a2\"}");
    assertThat(text(FREE))
        .isEqualTo("{\"format\":1,\"nonce\":\"89abcdef01234567\",\"crc32c\":\"fdf87a20\"}");
    for (NamePointer pointer : List.of(POINTER, FREE)) {
      assertThat(NamePointer.decode(WHERE, pointer.encode())).isEqualTo(pointer);
    }
  }

  private static String text(NamePointer pointer) throws IOException {
    return new String(pointer.encode(), StandardCharsets.US_ASCII);
  }

  /** A listing tells pointers from free markers by these sizes. */
  @Test
  void pointer_has_at_least_256_bytes_and_a_free_marker_fewer_than_128() throws IOException {
    for (long epoch : new long[] {0, 1, Long.MAX_VALUE}) {
      assertThat(NamePointer.to(ID, epoch).encode()).hasSize(256);
    }
    assertThat(NamePointer.free().encode().length).isLessThan(128);
  }

  @Test
  void no_two_have_equal_bytes() throws IOException {
    assertThat(NamePointer.to(ID, 3).encode()).isNotEqualTo(NamePointer.to(ID, 3).encode());
    assertThat(NamePointer.free().encode()).isNotEqualTo(NamePointer.free().encode());
  }

  @Test
  void damaged_bytes_are_corrupt_wherever_the_damage_is() throws IOException {
    Random random = new Random(RandomSeed.first());
    for (NamePointer pointer : List.of(POINTER, FREE)) {
      byte[] bytes = pointer.encode();
      for (int i = 0; i < bytes.length; i++) {
        byte[] flipped = bytes.clone();
        flipped[i] ^= (byte) (1 << random.nextInt(8));
        isCorrupt("byte " + i, flipped, "");
        isCorrupt("cut to " + i, Arrays.copyOf(bytes, i), "");
      }
      isCorrupt("a byte more", Arrays.copyOf(bytes, bytes.length + 1), "");
    }
    isCorrupt("zeros", new byte[256], "is no valid JSON");
    assertThat(NamePointer.decode(WHERE, padded(255))).isEqualTo(POINTER);
    isCorrupt("large", padded(256), "has 512 bytes, more than any pointer");
  }

  /** The same fields in some bytes more. */
  private static byte[] padded(int more) throws IOException {
    String text = text(POINTER);
    return ManifestFixture.checked(text.substring(0, text.lastIndexOf(',')) + " ".repeat(more));
  }

  private static void isCorrupt(String what, byte[] bytes, String named) {
    assertThatThrownBy(() -> NamePointer.decode(WHERE, bytes))
        .as(what)
        .isInstanceOf(ManifestException.Corrupt.class)
        .hasMessageStartingWith(WHERE + ": ")
        .hasMessageContaining(named)
        .hasMessageEndingWith("; it is left as it is");
  }

  @ParameterizedTest
  @MethodSource("violations")
  void pointer_against_the_rules_is_corrupt(String named, Consumer<ObjectNode> edit)
      throws IOException {
    isCorrupt(named, edited(edit), named);
  }

  static Object[][] violations() {
    return new Object[][] {
      rule("has format 0", m -> m.put("format", 0)),
      rule("number as format", m -> m.remove("format")),
      rule("number as format", m -> m.put("format", "1")),
      rule("one of repositoryId and epoch", m -> m.remove("epoch")),
      rule("one of repositoryId and epoch", m -> m.remove("repositoryId")),
      rule("repositoryId", m -> m.put("repositoryId", "../x")),
      rule("repositoryId", m -> m.put("repositoryId", "A".repeat(32))),
      rule("repositoryId", m -> m.put("repositoryId", 7)),
      rule("epoch", m -> m.put("epoch", -1)),
      rule("epoch", m -> m.put("epoch", "3")),
      rule("epoch", m -> m.put("epoch", 1e30)),
      rule("lacks the field nonce", m -> m.remove("nonce")),
      rule("unknown field name", m -> m.put("name", "r")),
    };
  }

  private static Object[] rule(String named, Consumer<ObjectNode> edit) {
    return new Object[] {named, edit};
  }

  private static byte[] edited(Consumer<ObjectNode> edit) throws IOException {
    ObjectNode json = (ObjectNode) new ObjectMapper().readTree(POINTER.encode());
    edit.accept(json);
    return ManifestFixture.bytes(json);
  }

  @Test
  void newer_format_is_unsupported_whatever_else_it_has() throws IOException {
    byte[] newer = edited(m -> m.put("format", 2).put("more", "x".repeat(500)).remove("nonce"));
    assertThatThrownBy(() -> NamePointer.decode(WHERE, newer))
        .isInstanceOf(ManifestException.Unsupported.class)
        .hasMessage(WHERE + ": has format 2, this version knows 1; use a newer version");
  }
}
