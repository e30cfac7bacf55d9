// SPDX-License-Identifier: Apache-2.0
package org.jgits3.gerrit.repository;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Lines of Gerrit that the jar works with. */
class GerritLineTest {
  private static final Pattern JAR = Pattern.compile("gerrit-plugin-api-(.+)\\.jar");

  @Test
  void the_line_that_the_module_is_compiled_with_is_supported() throws Exception {
    Path api =
        Path.of(
            com.google.gerrit.common.Version.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toURI());
    Matcher jar = JAR.matcher(api.getFileName().toString());
    assertThat(jar.matches()).as("%s", api).isTrue();
    assertThat(GerritLine.isSupported(jar.group(1))).isTrue();
  }

  @ParameterizedTest
  @ValueSource(strings = {"3.13.0", "3.13.5-12-gabcdef0", "3.14.2", "3.14.0-rc1", "(dev)"})
  @NullSource
  void versions_of_supported_lines_and_of_builds_without_a_number(String version) {
    assertThat(GerritLine.isSupported(version)).isTrue();
  }

  @ParameterizedTest
  @ValueSource(strings = {"3.12.9", "3.15.0-rc0", "3.1.3", "3.130", "4.0", "2.16.28"})
  void versions_of_other_lines(String version) {
    assertThat(GerritLine.isSupported(version)).isFalse();
  }
}
