// SPDX-License-Identifier: Apache-2.0
package org.jgits3.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Versions that are written down in more than one place. */
class VersionsTest {
  private static final Path ROOT = Path.of(System.getProperty("project.root"));

  private static String text(String file) throws IOException {
    return Files.readString(ROOT.resolve(file));
  }

  private static List<String> found(String pattern, String text) {
    return Pattern.compile(pattern).matcher(text).results().map(match -> match.group(1)).toList();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "<version>(.*-SNAPSHOT|\\d+\\.\\d+\\.\\d+)<",
        "<jgit.version>(.*)<",
        "<jgit.http.version>(.*)<"
      })
  void bom_has_the_versions_that_the_build_tests(String version) throws IOException {
    assertThat(found(version, text("jgit-s3-bom/pom.xml")).get(0))
        .isEqualTo(found(version, text("pom.xml")).get(0));
  }
}
