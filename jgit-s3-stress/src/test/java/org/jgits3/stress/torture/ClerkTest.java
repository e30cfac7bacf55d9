// SPDX-License-Identifier: Apache-2.0
package org.jgits3.stress.torture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jgits3.stress.torture.Clerk.Change;
import org.jgits3.stress.torture.Clerk.Outcome;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ClerkTest {
  @TempDir private Path directory;

  private List<String> lines(String file) throws Exception {
    return Files.readAllLines(directory.resolve(file));
  }

  @Test
  void write_that_has_begun_is_in_the_file_before_it_ends() throws Exception {
    Clerk clerk = Clerk.of(directory, "0.0");

    String id =
        clerk.beginWrite("id/f1", List.of(new Change("a", "-", "v1"), new Change("b", "v0", "-")));

    assertThat(lines("history-0.0"))
        .singleElement()
        .asString()
        .matches("begin 0\\.0\\.1 \\d+ id/f1 write a=-:v1 b=v0:-");
    clerk.endWrite(id, Outcome.UNKNOWN);
    assertThat(lines("history-0.0").get(1)).matches("end 0\\.0\\.1 \\d+ unknown");
  }

  @Test
  void read_has_a_value_for_each_ref_and_ends_after_it_began() throws Exception {
    Clerk clerk = Clerk.of(directory, "0.0");
    long began = System.nanoTime();

    clerk.read(began, "id/f1", Map.of("a", "-"));

    assertThat(lines("history-0.0").get(0)).isEqualTo("begin 0.0.1 " + began + " id/f1 read a");
    assertThat(lines("history-0.0").get(1)).matches("end 0\\.0\\.1 \\d+ ok a=-");
  }

  @Test
  void name_of_a_process_is_used_once() throws Exception {
    Clerk.of(directory, "0.0").close();

    assertThatThrownBy(() -> Clerk.of(directory, "0.0"))
        .isInstanceOf(FileAlreadyExistsException.class);
  }

  @Test
  void what_else_was_seen_is_one_line_each() throws Exception {
    Clerk clerk = Clerk.of(directory, "0.0");

    clerk.found("lost: two\nlines");
    clerk.did("gc", "ok");
    clerk.acknowledged("id", "v1");

    assertThat(lines("findings-0.0")).singleElement().asString().endsWith(" lost: two lines");
    assertThat(lines("work-0.0")).singleElement().asString().endsWith(" gc ok");
    assertThat(lines("objects-0.0")).containsExactly("id v1");
  }
}
