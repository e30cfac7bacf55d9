// SPDX-License-Identifier: Apache-2.0
package org.jgits3;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jgits3.testing.Holds;
import org.junit.jupiter.api.Test;

/**
 * The page of rules lists all that is annotated with {@link Holds}, by package of the tests. {@code
 * -Dinvariants.update=true} writes it anew.
 */
class InvariantsTest {
  private static final Path ROOT = Path.of(System.getProperty("project.root", ".."));
  private static final Path PAGE = ROOT.resolve("src/site/markdown/invariants.md");
  private static final String BEGIN = "## Rules\n";
  private static final String END = "\n## Notes\n";

  private static final String STRING = "\"(?:[^\"\\\\]|\\\\.)*\"";
  private static final Pattern HOLDS =
      Pattern.compile("@Holds\\(\\s*(" + STRING + "(?:\\s*\\+\\s*" + STRING + ")*)\\)");
  private static final Pattern HOLDER = Pattern.compile("(?m)^ *[a-z ]*?(?:class|void)\\s+(\\w+)");
  private static final Pattern RULE = Pattern.compile("(?:([A-Z]\\w+(?:, [A-Z]\\w+)*): )?(.*)");

  private static List<Path> sources(String kind) throws IOException {
    List<Path> sources = new ArrayList<>();
    try (Stream<Path> modules = Files.list(ROOT)) {
      for (Path module : modules.map(each -> each.resolve(kind)).filter(Files::exists).toList()) {
        try (Stream<Path> files = Files.walk(module)) {
          files.filter(file -> file.toString().endsWith(".java")).forEach(sources::add);
        }
      }
    }
    return sources;
  }

  private static String name(Path source) {
    return source.getFileName().toString().replace(".java", "");
  }

  /** Rows of the table, by package. */
  private static Map<String, List<String>> rows(Set<String> classes) throws IOException {
    Map<String, List<String>> rows = new TreeMap<>();
    for (Path source : sources("src/test/java").stream().sorted().toList()) {
      String text = Files.readString(source);
      if (text.contains("@Holds(") && !name(source).equals("InvariantsTest")) {
        String room = text.replaceAll("(?s).*?\npackage org\\.jgits3\\.?([^;]*);.*", "$1");
        List<String> ofRoom = rows.computeIfAbsent(room, any -> new ArrayList<>());
        List<MatchResult> all = HOLDS.matcher(text).results().toList();
        assertThat(all).as("%s", source).hasSize(text.split("@Holds\\(", -1).length - 1);
        all.forEach(holds -> ofRoom.add(row(holds, text, name(source), classes)));
      }
    }
    return rows;
  }

  private static String row(MatchResult holds, String text, String source, Set<String> classes) {
    String joined = holds.group(1).replaceAll("\"\\s*\\+\\s*\"", "").replace("\\\"", "\"");
    Matcher rule = RULE.matcher(joined.substring(1, joined.length() - 1));
    assertThat(rule.matches()).isTrue();
    List<String> keepers = rule.group(1) == null ? List.of() : List.of(rule.group(1).split(", "));
    assertThat(classes).as(joined).containsAll(keepers);
    Matcher holder = HOLDER.matcher(text);
    assertThat(holder.find(holds.end())).isTrue();
    String method = holder.group(1).equals(source) ? "" : "." + holder.group(1);
    return "| %s | %s | `%s` |\n"
        .formatted(
            rule.group(2),
            keepers.stream().map(each -> "`" + each + "`").collect(Collectors.joining(", ")),
            source + method);
  }

  private static String table() throws IOException {
    Set<String> classes = new HashSet<>();
    sources("src/main/java").forEach(source -> classes.add(name(source)));
    StringBuilder table = new StringBuilder(BEGIN);
    rows(classes)
        .forEach(
            (room, rows) -> {
              table.append("\n### `" + (room.isEmpty() ? "org.jgits3" : room) + "`\n\n");
              table.append("| rule | kept by | test |\n|---|---|---|\n");
              rows.forEach(table::append);
            });
    return table.toString();
  }

  @Test
  void rules_of_the_page_are_those_of_the_tests() throws IOException {
    String page = Files.readString(PAGE);
    int begin = page.indexOf(BEGIN);
    int end = page.indexOf(END);
    String table = table();
    if (Boolean.getBoolean("invariants.update")) {
      Files.writeString(PAGE, page.substring(0, begin) + table + page.substring(end));
    } else {
      assertThat(page.substring(begin, end))
          .as("-Dinvariants.update=true writes the rules anew")
          .isEqualTo(table);
    }
  }
}
