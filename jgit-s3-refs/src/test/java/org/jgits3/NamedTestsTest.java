// SPDX-License-Identifier: Apache-2.0
package org.jgits3;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The tests that a page names exist, and names of tests are short. */
class NamedTestsTest {
  private static final Path ROOT = Path.of(System.getProperty("project.root", ".."));

  /** A class of tests with or without a method, or a method of any class. */
  private static final Pattern NAME =
      Pattern.compile("`([A-Z]\\w*(?:Test|IT|Contract))(?:\\.(\\w+))?`|`([a-z]+_\\w+)`");

  private static final Path MODELS = ROOT.resolve("src/models");
  private static final Pattern FAILING = Pattern.compile("(?m)^\\[FAIL\\] ([\\w-]+)");
  private static final String WITHOUT = "\n## Failing cases without a test of their name\n";

  private static final int LONGEST = 70;

  /** A method with the name of a test. */
  private static final Pattern TEST = Pattern.compile("(?:void|boolean)\\s+(\\w+_\\w+)\\(");

  /** A person or a process as an unnamed subject. */
  private static final Pattern UNNAMED =
      Pattern.compile("(^|_)(who|whom|whoever|(some|no|any|every)(body|_?one))(_|$)");

  /** Sources of all classes of tests, by name. */
  private static Map<String, String> sources() throws IOException {
    Map<String, String> sources = new HashMap<>();
    try (Stream<Path> modules = Files.list(ROOT)) {
      for (Path module : modules.map(each -> each.resolve("src/test/java")).toList()) {
        if (Files.isDirectory(module)) {
          read(module, sources);
        }
      }
    }
    return sources;
  }

  private static void read(Path module, Map<String, String> sources) throws IOException {
    try (Stream<Path> files = Files.walk(module)) {
      for (Path file : files.filter(each -> each.toString().endsWith(".java")).toList()) {
        String name = file.getFileName().toString().replace(".java", "");
        sources.merge(name, Files.readString(file), String::concat);
      }
    }
  }

  private static Stream<String> names(Map<String, String> sources) {
    return sources.values().stream()
        .flatMap(source -> TEST.matcher(source).results())
        .map(name -> name.group(1));
  }

  private static boolean exists(Map<String, String> sources, MatchResult name) {
    if (name.group(3) != null) {
      return sources.values().stream().anyMatch(source -> source.contains(name.group(3) + "("));
    }
    String method = name.group(2) == null ? "" : name.group(2) + "(";
    return Optional.ofNullable(sources.get(name.group(1)))
        .filter(source -> source.contains(method))
        .isPresent();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "src/site/markdown/security.md",
        "src/site/markdown/invariants.md",
        "src/site/markdown/reliability.md",
        "src/models/README.md"
      })
  void tests_that_a_page_names_exist(String page) throws IOException {
    Map<String, String> sources = sources();
    String text = Files.readString(ROOT.resolve(page));
    List<String> missing = new ArrayList<>();
    List<MatchResult> names = NAME.matcher(text).results().toList();
    names.stream()
        .filter(name -> !exists(sources, name))
        .forEach(name -> missing.add(name.group()));
    assertThat(names).isNotEmpty();
    assertThat(missing).isEmpty();
  }

  /** A fault of its name that a test finds, a test with it in its name, or a line that says why. */
  @Test
  void each_failing_case_of_the_models_has_a_test_or_a_reason() throws IOException {
    Map<String, String> sources = sources();
    String faults = sources.get("Mutations");
    String tests = names(sources).collect(Collectors.joining("__", "_", "_"));
    String reasons = Files.readString(MODELS.resolve("README.md")).split(WITHOUT, 2)[1];
    try (Stream<Path> files = Files.list(MODELS)) {
      for (Path model : files.filter(each -> each.toString().endsWith(".out")).toList()) {
        assertThat(FAILING.matcher(Files.readString(model)).results().map(each -> each.group(1)))
            .as("%s", model)
            .allMatch(
                name ->
                    faults.contains('"' + name + '"')
                        || tests.contains("_" + name.replace('-', '_') + "_")
                        || reasons.matches("(?s).*\\b" + name + "\\b.*"));
      }
    }
  }

  @Test
  void names_of_tests_are_short_and_name_their_subject() throws IOException {
    Map<String, String> sources = sources();
    assertThat(sources).hasSizeGreaterThan(500);
    List<String> names = names(sources).toList();
    assertThat(names)
        .hasSizeGreaterThan(2000)
        .allSatisfy(name -> assertThat(name).hasSizeLessThanOrEqualTo(LONGEST))
        .noneMatch(name -> UNNAMED.matcher(name).find());
  }
}
