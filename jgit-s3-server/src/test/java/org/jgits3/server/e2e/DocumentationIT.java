// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.io.IOException;
import java.lang.module.Configuration;
import java.lang.module.ModuleFinder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.eclipse.jgit.lib.Config;
import org.jgits3.S3Settings;
import org.jgits3.server.e2e.process.Command;
import org.jgits3.server.e2e.process.ServedStore;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests that the program does as the documentation says. */
class DocumentationIT {
  private static final Path ROOT = Path.of(System.getProperty("project.root")).toAbsolutePath();

  @Test
  void java_example_of_the_readme_runs(@TempDir Path directory) throws IOException {
    String source = between(Files.readString(ROOT.resolve("README.md")), "```java\n", "```");
    Files.writeString(directory.resolve("Hello.java"), source);
    List<String> line =
        List.of(
            "sh",
            "-c",
            "cd \"$0\" && exec \"$1\" -cp \"$2\" Hello.java",
            directory.toString(),
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            System.getProperty("java.class.path"));
    Command example = Command.finish(line, Map.of()).succeeds();
    assertThat(example.stdout()).isEqualTo("NEW [embedded]\n");
  }

  @Test
  void lines_of_the_cron_sample_repeated_tell_only_what_was_verified(@TempDir Path directory)
      throws IOException {
    ServedStore store = ServedStore.directory(directory);
    Command.run(store, "init", "r").succeeds();
    String program = "/opt/jgit-s3/jgit-s3 --config /etc/jgit-s3.config ";
    List<String> lines =
        Files.readAllLines(ROOT.resolve("etc/jgit-s3.cron.sample")).stream()
            .filter(line -> line.contains(program))
            .toList();
    assertThat(lines).hasSize(4).allMatch(line -> line.matches("(\\S+ ){5}git " + program + ".*"));
    StringBuilder repeated = new StringBuilder();
    for (int day = 1; day <= 2; day++) {
      repeated.setLength(0);
      for (String line : lines) {
        String command = line.substring(line.indexOf(program) + program.length());
        Command run = Command.run(store, command.split(" ", -1)).succeeds();
        repeated.append(run.stdout()).append(run.stderr());
      }
    }
    assertThat(repeated.toString()).matches("(r is sound: [^\n]*\n)?"); // a full sweep left a mark
  }

  @Test
  void library_and_tools_are_modules_with_names_of_their_own() throws IOException {
    Path[] jars;
    try (Stream<Path> files = Files.list(ROOT.resolve("jgit-s3-server/target/lib"))) {
      jars =
          files
              .filter(jar -> jar.getFileName().toString().matches("jgit-s3-(refs|tools)-.*"))
              .toArray(Path[]::new);
    }
    Configuration both = // fails if a package is in both
        Configuration.empty()
            .resolve(
                ModuleFinder.of(jars),
                ModuleFinder.ofSystem(),
                Set.of("org.jgits3", "org.jgits3.tools"));
    assertThat(both.findModule("org.jgits3")).isPresent();
    assertThat(both.findModule("org.jgits3.tools")).isPresent();
  }

  @ParameterizedTest
  @CsvSource({"'', ## `[s3]`", "refs, '## `[s3 \"refs\"]`'"})
  void every_key_that_is_understood_is_documented_and_no_other(String subsection, String heading)
      throws IOException {
    Config unknown = new Config();
    unknown.setString("s3", subsection.isEmpty() ? null : subsection, "noSuchKey", "x");
    Throwable refusal = catchThrowable(() -> S3Settings.from(unknown, "test"));
    String list = refusal.getMessage().substring(refusal.getMessage().indexOf("known are ") + 10);
    String section =
        between(
            Files.readString(ROOT.resolve("src/site/markdown/configuration.md")),
            heading + "\n",
            "\n## ");
    Set<String> documented =
        Pattern.compile("^\\| `(\\w+)`", Pattern.MULTILINE)
            .matcher(section)
            .results()
            .map(row -> row.group(1))
            .collect(Collectors.toCollection(TreeSet::new));
    assertThat(documented).containsExactlyInAnyOrder(list.split(", "));
  }

  @Test
  void sample_config_is_understood() throws Exception {
    S3Settings settings = S3Settings.load(ROOT.resolve("etc/jgit-s3.config.sample"));
    assertThat(settings.location()).hasToString("s3://my-bucket/git");
    assertThat(settings.limits()).isLessThan(Runtime.getRuntime().maxMemory());
  }

  @Test
  void options_of_serve_are_documented() throws IOException {
    String help = Command.run(Map.of(), List.of("serve", "--help")).succeeds().stdout();
    String page = Files.readString(ROOT.resolve("src/site/markdown/configuration.md"));
    assertThat(
            Pattern.compile("--[a-z-]+")
                .matcher(help)
                .results()
                .map(option -> option.group())
                .filter(option -> !Set.of("--help", "--version", "--debug").contains(option)))
        .allSatisfy(option -> assertThat(page).contains(option));
  }

  private static String between(String text, String begin, String end) {
    int from = text.indexOf(begin) + begin.length();
    return text.substring(from, text.indexOf(end, from));
  }
}
