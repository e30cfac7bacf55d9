// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.refs.table;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.eclipse.jgit.lib.ObjectId;
import org.jgits3.manifest.RefValue;
import org.jgits3.testing.Seeds;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PackedRefsFileTest {
  private static final String A = "a".repeat(40);
  private static final String B = "b".repeat(40);

  @TempDir Path directory;

  private Path file(String content) throws IOException {
    return Files.writeString(directory.resolve("packed-refs"), content);
  }

  private static String text(PackedRefsTable table) throws IOException {
    return new String(TestTables.written(table), UTF_8);
  }

  private Optional<PackedRefsTable> read(String content) throws IOException {
    return PackedRefsFile.read(file(content), RefDelta.NONE);
  }

  private static Map<String, RefValue> random(Random random, int most) {
    Map<String, RefValue> refs = new HashMap<>();
    for (int i = random.nextInt(most); i > 0; i--) {
      String name = "refs/" + "x".repeat(random.nextInt(40)) + "é".repeat(random.nextInt(3)) + i;
      Optional<ObjectId> peeled =
          random.nextInt(3) == 0 ? Optional.of(ObjectId.fromString(B)) : Optional.empty();
      refs.put(name, new RefValue.Direct(ObjectId.fromString(A), peeled));
    }
    return refs;
  }

  @Seeds(8)
  void chunks_of_any_size_give_the_table_that_one_would(long seed) throws IOException {
    Random random = new Random(seed);
    PackedRefsTable packed = TestTables.of(random(random, 100));
    Map<String, RefValue> loose = random(random, 20);
    loose.replaceAll((name, value) -> random.nextBoolean() ? value : RefValue.DELETED);
    for (int i = 0; i < packed.size(); i += 1 + random.nextInt(10)) {
      loose.put(packed.name(i), random.nextBoolean() ? RefValue.DELETED : packed.value(i));
    }
    RefDelta newer = RefDelta.of(loose);
    Path file = file(text(packed));
    String expected = text(new SnapshotMerge(packed, newer).build());
    for (int chunk = 1; chunk < 2 * Files.size(file); chunk += 1 + random.nextInt(50)) {
      PackedRefsTable table = PackedRefsFile.read(file, newer, chunk).orElseThrow();
      assertThat(text(table)).as("chunks of %d bytes", chunk).isEqualTo(expected);
      assertThat(table.bytes()).as("exact arrays").isLessThan(expected.length() + 4L * 200 + 100);
    }
  }

  @Test
  void a_missing_file_has_no_refs() throws IOException {
    RefDelta newer = RefDelta.of(Map.of("refs/heads/a", RefValue.DELETED));
    Path missing = directory.resolve("packed-refs");
    assertThat(text(PackedRefsFile.read(missing, newer).orElseThrow()))
        .isEqualTo(PackedRefsTable.HEADER);
    assertThat(text(read("").orElseThrow())).isEqualTo(PackedRefsTable.HEADER);
  }

  @Test
  void any_header_will_do_and_none() throws IOException {
    String lines = A + " refs/heads/a\n" + A + " refs/tags/b\n^" + B + "\n";
    for (String header : new String[] {"# pack-refs with: peeled\n", "", PackedRefsTable.HEADER}) {
      assertThat(text(read(header + lines).orElseThrow()))
          .isEqualTo(PackedRefsTable.HEADER + lines);
    }
  }

  @Test
  void what_git_would_not_write_is_not_read() throws IOException {
    String[] others = {
      A + " refs/heads/b\n" + A + " refs/heads/a\n",
      A + " refs/heads/a\n" + A + " refs/heads/a\n",
      A + " refs/heads/a",
      "^" + B + "\n" + A + " refs/heads/a\n",
      A + " refs/heads/a\n# comment\n",
      "hello\n",
      "\n",
    };
    for (String other : others) {
      assertThat(read(other)).as(other).isEmpty();
      assertThat(PackedRefsFile.read(file(other), RefDelta.NONE, 1)).as(other).isEmpty();
    }
  }
}
