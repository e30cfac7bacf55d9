// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.torture;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Feeds right and wrong histories to the checker of etc/test/history. */
class HistoryCheckTest {
  private static final Path ROOT = Path.of("").toAbsolutePath().getParent();
  private static final int NO_GO = 2;

  @TempDir private Path directory;

  private record Verdict(int exit, String output) {}

  @BeforeAll
  static void build() throws Exception {
    Verdict built = run(ROOT.resolve("etc/test/history-check").toString());
    assumeTrue(built.exit != NO_GO, built.output);
    assertThat(built.exit).as(built.output).isZero();
  }

  private static Verdict run(String... command) throws Exception {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), UTF_8);
    return new Verdict(process.waitFor(), output);
  }

  private Verdict judge(String history) throws Exception {
    Path file = Files.writeString(directory.resolve("history"), history);
    return run(ROOT.resolve("target/tools/history-check").toString(), file.toString());
  }

  @Test
  void updates_that_follow_one_another_are_right() throws Exception {
    Verdict verdict =
        judge(
            """
            begin 1 10 g write a=-:v1 b=-:w1
            end 1 20 ok
            begin 2 30 g write a=v1:v2
            begin 3 31 g write a=v1:v3
            begin 4 32 g read a b
            end 2 40 ok
            end 3 41 refused
            end 4 42 ok a=v1 b=w1
            begin 5 50 g write a=v2:-
            end 5 60 ok
            begin 6 70 g read a b
            end 6 80 ok a=- b=w1
            """);

    assertThat(verdict)
        .isEqualTo(new Verdict(0, "6 operations, 1 groups, 0 anomalies, 0 undecided\n"));
  }

  @Test
  void what_is_unknown_may_have_happened_late_or_never() throws Exception {
    String unknown =
        """
        begin 1 10 g write a=-:v1
        end 1 20 unknown
        begin 2 30 g read a
        end 2 40 ok a=-
        begin 3 50 g read a
        end 3 60 ok a=%s
        """;

    assertThat(judge(unknown.formatted("v1")).exit).isZero();
    assertThat(judge(unknown.formatted("-")).exit).isZero();
    assertThat(judge(unknown.formatted("v2")).exit).isEqualTo(1);
  }

  @Test
  void a_killed_client_leaves_half_a_line() throws Exception {
    assertThat(judge("begin 1 10 g write a=-:v1\nend 1 20 o").output)
        .startsWith("1 operations, 1 groups, 0 anomalies");
  }

  @Test
  void a_lost_update_is_found_and_shown_without_what_is_not_needed() throws Exception {
    Verdict verdict =
        judge(
            """
            begin 1 10 g write a=-:v1
            end 1 20 ok
            begin 2 21 g read a
            end 2 22 ok a=v1
            begin 3 30 g write a=v1:v2
            begin 4 31 g write a=v1:v3
            end 3 40 ok
            end 4 41 ok
            begin 5 50 g read a
            end 5 60 ok a=v3
            begin 6 10 other write a=-:x1
            end 6 20 ok
            """);

    assertThat(verdict)
        .isEqualTo(
            new Verdict(
                1,
                """
                anomaly in g
                  begin 1 10 g write a=-:v1
                  end 1 20 ok
                  begin 3 30 g write a=v1:v2
                  end 3 40 ok
                  begin 4 31 g write a=v1:v3
                  end 4 41 ok
                6 operations, 2 groups, 1 anomalies, 0 undecided
                """));
  }

  @Test
  void a_torn_batch_is_found() throws Exception {
    String batch =
        """
        begin 1 10 g write a=-:v1 b=-:w1
        end 1 20 %s
        begin 2 12 g read a b
        end 2 14 ok a=v1 b=-
        """;

    assertThat(judge(batch.formatted("ok")).exit).isEqualTo(1);
    assertThat(judge(batch.formatted("unknown")).exit).isEqualTo(1);
  }

  @Test
  void a_stale_read_is_found() throws Exception {
    Verdict verdict =
        judge(
            """
            begin 1 10 g write a=-:v1
            end 1 20 ok
            begin 2 21 g read a
            end 2 30 ok a=-
            """);

    assertThat(verdict.exit).isEqualTo(1);
  }

  @Test
  void a_refused_update_that_was_applied_is_found() throws Exception {
    Verdict verdict =
        judge(
            """
            begin 1 10 g write a=-:v1
            end 1 20 refused
            begin 2 21 g read a
            end 2 30 ok a=v1
            """);

    assertThat(verdict.exit).isEqualTo(1);
  }

  @Test
  void a_move_that_another_has_made_is_right_and_a_write_is_not() throws Exception {
    String twice =
        """
        begin 1 10 names write a=-:x
        end 1 20 ok
        begin 2 30 names %1$s a=x:- b=-:x
        begin 3 31 names %1$s a=x:- b=-:x
        end 2 40 ok
        end 3 41 ok
        begin 4 50 names read a b
        end 4 60 ok a=- b=%2$s
        """;

    assertThat(judge(twice.formatted("move", "x")).exit).isZero();
    assertThat(judge(twice.formatted("write", "x")).exit).isEqualTo(1);
    assertThat(judge(twice.formatted("move", "-")).exit).isEqualTo(1);
  }

  @Test
  void bad_input_is_one_line_with_its_place() throws Exception {
    Verdict verdict = judge("begin 1 10 g write a=v1\n");

    assertThat(verdict.exit).isEqualTo(2);
    assertThat(verdict.output)
        .startsWith("history-check: ")
        .endsWith("history:1: not NAME=OLD:NEW: a=v1\n");
  }
}
