// SPDX-License-Identifier: Apache-2.0
package org.jgits3.stress.torture;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

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

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "a torn batch     | write a=-:v1 b=-:w1 | ok      | 12 | read a b | a=v1 b=-",
        "a torn unknown   | write a=-:v1 b=-:w1 | unknown | 12 | read a b | a=v1 b=-",
        "a stale read     | write a=-:v1        | ok      | 21 | read a   | a=-",
        "a refused update | write a=-:v1        | refused | 21 | read a   | a=v1",
      })
  void what_no_order_explains_is_found(
      String what, String write, String outcome, int moment, String read, String seen)
      throws Exception {
    String history =
        """
        begin 1 10 g %s
        end 1 20 %s
        begin 2 %d g %s
        end 2 %d ok %s
        """
            .formatted(write, outcome, moment, read, moment + 2, seen);

    assertThat(judge(history).exit).as(what).isEqualTo(1);
  }

  @Test
  void bad_input_is_one_line_with_its_place() throws Exception {
    Verdict verdict = judge("begin 1 10 g write a=v1\n");

    assertThat(verdict.exit).isEqualTo(2);
    assertThat(verdict.output)
        .startsWith("history-check: ")
        .endsWith("history:1: not NAME=OLD:NEW: a=v1\n");
  }

  @Test
  void bounds_of_what_is_unknown_make_no_history_right_or_wrong() throws Exception {
    long seed = Long.getLong("test.seed", 1);
    SplittableRandom random = new SplittableRandom(seed);
    StringBuilder lines = new StringBuilder();
    for (int group = 0; group < 1000; group++) {
      new MadeUpHistory(random, "g" + group).appendTo(lines);
    }
    Path file = Files.writeString(directory.resolve("history"), lines);
    String program = ROOT.resolve("target/tools/history-check").toString();

    List<String> bounded = wrong(run(program, file.toString()));
    List<String> plain = wrong(run(program, "-plain", file.toString()));

    assertThat(bounded).as("-Dtest.seed=" + seed).isEqualTo(plain);
    assertThat(bounded).hasSizeBetween(20, 500);
  }

  private static List<String> wrong(Verdict verdict) {
    assertThat(verdict.output).doesNotContain("undecided:");
    return verdict.output.lines().filter(line -> line.startsWith("anomaly in ")).toList();
  }

  /** A group whose operations are right but for a look-up now and then. */
  private static final class MadeUpHistory {
    private static final List<String> NAMES = List.of("a", "b");

    private final SplittableRandom random;
    private final String group;
    private final Map<String, String> state = new HashMap<>(Map.of("a", "-", "b", "-"));
    private int values;

    MadeUpHistory(SplittableRandom random, String group) {
      this.random = random;
      this.group = group;
    }

    void appendTo(StringBuilder lines) {
      int operations = 6 + random.nextInt(6);
      for (int i = 0; i < operations; i++) {
        int moment = 100 * (i + 1);
        String id = group + "." + i;
        String begin = "begin " + id + " " + (moment - random.nextInt(300)) + " " + group + " ";
        String end = "end " + id + " " + (moment + random.nextInt(300)) + " ";
        switch (random.nextInt(5)) {
          case 0, 1 -> {
            String name = name();
            lines.append(begin + "read " + name + "\n" + end + "ok " + name + "=" + seen(name));
          }
          case 2 -> {
            String other = NAMES.get(1 - NAMES.indexOf(name()));
            String from = NAMES.get(1 - NAMES.indexOf(other));
            Map<String, String> after = new HashMap<>(Map.of(from, "-", other, state.get(from)));
            String before = from + "=" + state.get(from) + ":- " + other + "=-:" + state.get(from);
            boolean fits = !state.get(from).equals("-") && state.get(other).equals("-");
            lines.append(begin + "write " + before + "\n" + end + outcome(fits, after));
          }
          default -> {
            String name = name();
            String old = random.nextInt(5) == 0 ? value() : state.get(name);
            String now = random.nextInt(3) == 0 ? "-" : random.nextInt(4) == 0 ? value() : fresh();
            boolean fits = old.equals(state.get(name));
            lines.append(begin + "write " + name + "=" + old + ":" + now + "\n" + end);
            lines.append(outcome(fits, Map.of(name, now)));
          }
        }
        lines.append('\n');
      }
    }

    private String outcome(boolean fits, Map<String, String> after) {
      boolean unknown = random.nextBoolean();
      if (fits && !(unknown && random.nextBoolean())) {
        state.putAll(after);
        return unknown ? "unknown" : "ok";
      }
      return unknown ? "unknown" : "refused";
    }

    private String name() {
      return NAMES.get(random.nextInt(NAMES.size()));
    }

    private String fresh() {
      values++;
      return "v" + values;
    }

    private String value() {
      int number = random.nextInt(values + 1);
      return number == 0 ? "-" : "v" + number;
    }

    private String seen(String name) {
      return random.nextInt(12) == 0 ? value() : state.get(name);
    }
  }
}
