// SPDX-License-Identifier: Apache-2.0
package org.jgits3;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Every row of the tables of requests names tests that there are. */
class RoundTripsTest {
  private static final Path ROOT = Path.of(System.getProperty("project.root", ".."));

  @Test
  void each_row_names_a_test_that_there_is() throws IOException {
    List<Path> sources;
    try (Stream<Path> library = Files.walk(ROOT.resolve("jgit-s3-refs/src/test"));
        Stream<Path> tools = Files.walk(ROOT.resolve("jgit-s3-tools/src/test"));
        Stream<Path> server = Files.walk(ROOT.resolve("jgit-s3-server/src/test"))) {
      sources =
          Stream.of(library, tools, server)
              .flatMap(each -> each)
              .filter(file -> file.toString().endsWith(".java"))
              .toList();
    }
    assertThat(RoundTrips.rows()).hasSizeGreaterThan(40);
    for (RoundTrips.Row row : RoundTrips.rows()) {
      for (String test : row.tests()) {
        assertThat(isThere(test, sources)).as("%s: %s", row.operation(), test).isTrue();
      }
    }
  }

  private static boolean isThere(String test, List<Path> sources) throws IOException {
    String className = test.contains(".") ? test.substring(0, test.indexOf('.')) : "";
    String method = test.substring(test.indexOf('.') + 1);
    for (Path source : sources) {
      boolean named = className.isEmpty() || source.endsWith(className + ".java");
      if (named && Files.readString(source).contains(" void " + method + "(")) {
        return true;
      }
    }
    return false;
  }
}
