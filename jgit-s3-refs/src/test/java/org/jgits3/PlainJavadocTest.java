// SPDX-License-Identifier: Apache-2.0
package org.jgits3;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Checks the style of Javadoc that CONTRIBUTING.md describes. */
class PlainJavadocTest {
  private static final Path ROOT = Path.of(System.getProperty("project.root", ".."));

  /** Begins a summary with a question, has a vague pronoun for a subject, or joins a block tag. */
  private static final Pattern NOT_PLAIN =
      Pattern.compile(
          "/\\*\\*[\\s*]*(What|Which|Whether|How|Who|Where|When|Why|If)(ever)?\\b[^\n]*"
              + "|/\\*\\*[\\s*]*It (was|is|has|cannot)\\b[^\n]*"
              + "|[^\\s*] @(param|return|throws)\\b"
              + "|(?i)\\b(some|any|every|no)body\\b|\\bwhoever\\b");

  @ParameterizedTest
  @ValueSource(
      strings = {
        "jgit-s3-refs",
        "jgit-s3-tools",
        "jgit-s3-server",
        "jgit-s3-gerrit",
        "jgit-s3-bench",
        "jgit-s3-stress",
        "examples"
      })
  void summaries_are_verb_or_noun_phrases(String module) throws IOException {
    List<String> found = new ArrayList<>();
    try (Stream<Path> files = Files.walk(ROOT.resolve(module).resolve("src/main/java"))) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        NOT_PLAIN
            .matcher(Files.readString(file))
            .results()
            .forEach(match -> found.add(file.getFileName() + ": " + match.group()));
      }
    }
    assertThat(found).isEmpty();
  }
}
