// SPDX-License-Identifier: Apache-2.0
package org.jgits3;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
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

  private static final String STRING = "\"(?:[^\"\\\\]|\\\\.)*\"";
  private static final Pattern HOLDS =
      Pattern.compile("@Holds\\(\\s*(" + STRING + "(?:\\s*\\+\\s*" + STRING + ")*)\\)");
  private static final Pattern RULE = Pattern.compile("(?:([A-Z]\\w+(?:, [A-Z]\\w+)*): )?(.*)");

  /** Package without {@code org.jgits3}, and without what is below its first or second part. */
  private static final Pattern SECTION =
      Pattern.compile("\npackage org\\.jgits3\\.?((?:internal\\.)?\\w*)");

  /** Classes that keep a rule, and classes of tests that hold it. */
  private record Classes(Set<String> keepers, Set<String> tests) {
    Classes() {
      this(new LinkedHashSet<>(), new LinkedHashSet<>());
    }

    /** Lists the classes, but not a keeper that gives a test its name. */
    String listed() {
      List<String> others =
          keepers.stream()
              .filter(each -> !tests.contains(each + "Test") && !tests.contains(each + "IT"))
              .toList();
      return others.isEmpty() ? names(tests) : names(others) + "; " + names(tests);
    }

    private static String names(Collection<String> classes) {
      return classes.stream().map(each -> "`" + each + "`").collect(Collectors.joining(", "));
    }
  }

  /** Sources of all modules, by package. */
  private static List<Path> sources(String kind) throws IOException {
    List<Path> sources = new ArrayList<>();
    try (Stream<Path> modules = Files.list(ROOT)) {
      for (Path module : modules.map(each -> each.resolve(kind)).filter(Files::exists).toList()) {
        try (Stream<Path> files = Files.walk(module)) {
          files.filter(file -> file.toString().endsWith(".java")).forEach(sources::add);
        }
      }
    }
    sources.sort(Comparator.comparing(source -> source.toString().replaceFirst(".*/src/", "")));
    return sources;
  }

  private static String name(Path source) {
    return source.getFileName().toString().replace(".java", "");
  }

  /** Rules by section. A rule that several tests hold is in the section of the first. */
  private static Map<String, Map<String, Classes>> rules() throws IOException {
    Map<String, Map<String, Classes>> sections = new TreeMap<>();
    Map<String, Classes> known = new HashMap<>();
    for (Path test : sources("src/test/java")) {
      String text = Files.readString(test);
      if (text.contains("@Holds(") && !name(test).equals("InvariantsTest")) {
        Map<String, Classes> section =
            sections.computeIfAbsent(section(text), any -> new LinkedHashMap<>());
        List<MatchResult> all = HOLDS.matcher(text).results().toList();
        assertThat(all).as("%s", test).hasSize(text.split("@Holds\\(", -1).length - 1);
        for (MatchResult holds : all) {
          Matcher rule = rule(holds);
          Classes classes = known.get(rule.group(2));
          if (classes == null) {
            classes = new Classes();
            known.put(rule.group(2), classes);
            section.put(rule.group(2), classes);
          }
          if (rule.group(1) != null) {
            classes.keepers().addAll(List.of(rule.group(1).split(", ")));
          }
          classes.tests().add(name(test));
        }
      }
    }
    sections.values().removeIf(Map::isEmpty);
    return sections;
  }

  private static String section(String text) {
    Matcher section = SECTION.matcher(text);
    assertThat(section.find()).isTrue();
    return section.group(1).isEmpty() ? "org.jgits3" : section.group(1);
  }

  private static Matcher rule(MatchResult holds) {
    String joined = holds.group(1).replaceAll("\"\\s*\\+\\s*\"", "").replace("\\\"", "\"");
    Matcher rule = RULE.matcher(joined.substring(1, joined.length() - 1));
    assertThat(rule.matches()).isTrue();
    return rule;
  }

  private static String list() throws IOException {
    Set<String> known =
        sources("src/main/java").stream().map(InvariantsTest::name).collect(Collectors.toSet());
    StringBuilder list = new StringBuilder(BEGIN);
    rules()
        .forEach(
            (section, rules) -> {
              list.append("\n### `" + section + "`\n\n");
              rules.forEach(
                  (rule, classes) -> {
                    assertThat(known).as(rule).containsAll(classes.keepers());
                    list.append("- " + rule + "<br>\n  " + classes.listed() + "\n");
                  });
            });
    return list.toString();
  }

  @Test
  void rules_of_the_page_are_those_of_the_tests() throws IOException {
    String page = Files.readString(PAGE);
    int begin = page.indexOf(BEGIN);
    String list = list();
    if (Boolean.getBoolean("invariants.update")) {
      Files.writeString(PAGE, page.substring(0, begin) + list);
    } else {
      assertThat(page.substring(begin))
          .as("-Dinvariants.update=true writes the rules anew")
          .isEqualTo(list);
    }
  }
}
