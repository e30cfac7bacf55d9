// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.e2e;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jgits3.server.command.JgitS3;
import org.jgits3.server.e2e.process.Command;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The script that users start, in a directory laid out as a clone that was built. */
class LauncherIT {
  private static final Path ROOT = Path.of(System.getProperty("project.root")).toAbsolutePath();
  private static final Path JAVA_HOME = Path.of(System.getProperty("java.home"));
  private static final String BUILDING = "building jgit-s3 (sources changed) ...\n";

  @TempDir private Path scratch;
  private Path clone;
  private Path jar;
  private Path archive;

  @BeforeEach
  void builtClone() throws IOException {
    clone = Files.createDirectory(scratch.resolve("clone"));
    Path target = Files.createDirectories(clone.resolve("jgit-s3-server/target"));
    Path built = ROOT.resolve("jgit-s3-server/target");
    Files.copy(ROOT.resolve("jgit-s3"), clone.resolve("jgit-s3"));
    Files.setPosixFilePermissions(
        clone.resolve("jgit-s3"), PosixFilePermissions.fromString("rwxr-xr-x"));
    jar = Files.copy(built.resolve("jgit-s3-server.jar"), target.resolve("jgit-s3-server.jar"));
    Files.createSymbolicLink(target.resolve("lib"), built.resolve("lib"));
    archive = target.resolve("launcher-java" + Runtime.version().feature() + ".jsa");
    // What a build would make is there; building it again is Maven's matter.
    Path mvn = Files.createDirectory(scratch.resolve("bin")).resolve("mvn");
    Files.writeString(mvn, "#!/bin/sh\n");
    Files.setPosixFilePermissions(mvn, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  @Test
  void build_leaves_an_archive_of_classes_that_the_program_is_loaded_from() throws IOException {
    changeSource();
    Command first = launch(Map.of()).succeeds();
    assertThat(first.stdout()).isEqualTo("[ ]\n");
    assertThat(first.stderr()).isEqualTo(BUILDING);
    assertThat(Files.readString(archive, ISO_8859_1))
        .contains("software/amazon/awssdk/services/s3/S3Client");
    assertThat(archives(archive.getParent())).containsExactly(archive);

    Command loading =
        launch(Map.of("JGIT_S3_JAVA_OPTS", "-Xlog:class+load -XX:SharedArchiveFile=" + archive));
    assertThat(loading.stdout().lines())
        .anyMatch(line -> line.contains("jgits3.server.Main source: shared objects file (top)"));
    answersOnly(launch(Map.of()));
  }

  @Test
  @Tag("long") // an archive of this build is above
  void archive_of_another_build_or_jdk_is_ignored_in_silence() throws IOException {
    Files.writeString(archive, "of a JDK that is not known here\n");
    answersOnly(launch(Map.of()));

    changeSource();
    launch(Map.of()).succeeds();
    assertThat(Files.size(archive)).isGreaterThan(1 << 20);
    Files.setLastModifiedTime(jar, FileTime.from(Instant.now().plusSeconds(5)));
    answersOnly(launch(Map.of()));
  }

  @Test
  void options_of_the_user_replace_those_of_the_script() {
    Command chosen = launch(Map.of("JGIT_S3_JAVA_OPTS", "-XX:+UseParallelGC -Xmx64m"));
    answersOnly(chosen);
    Command picked = launch(Map.of("JAVA_TOOL_OPTIONS", "-XX:+UseParallelGC")).succeeds();
    assertThat(picked.stdout()).isEqualTo("[ ]\n");
  }

  @Test
  void commands_that_run_long_are_not_started_as_brief_ones() throws IOException {
    javaThatPrintsItsArguments();
    List<String> brief = new ArrayList<>();
    for (String command : JgitS3.commandLine().getSubcommands().keySet()) {
      if (launchedBriefly(command)) {
        brief.add(command);
      }
    }
    assertThat(brief)
        .containsExactlyInAnyOrder(
            "users",
            "init",
            "list",
            "refs",
            "reflog",
            "log",
            "events",
            "config",
            "restore-refs",
            "fork",
            "rename",
            "delete",
            "stats",
            "doctor");
    assertThat(launchedBriefly("events", "--follow")).isFalse();
  }

  @Test
  void jars_of_stores_follow_the_program_on_the_class_path() throws IOException {
    javaThatPrintsItsArguments();
    for (String command : List.of("list", "serve")) {
      Command launched =
          launch(scratch.resolve("jdk"), Map.of("JGIT_S3_CLASSPATH", "/a.jar:/b.jar"), command);
      assertThat(launched.succeeds().stdout())
          .contains(" -cp " + jar + ":/a.jar:/b.jar org.jgits3.server.Main ");
    }
  }

  @Test
  void value_of_an_option_of_all_commands_does_not_choose_the_jvm() throws IOException {
    javaThatPrintsItsArguments();
    List<String> options =
        JgitS3.commandLine().getCommandSpec().options().stream()
            .filter(option -> option.arity().min() > 0)
            .map(option -> option.longestName())
            .toList();
    assertThat(options).contains("--config", "--store", "--metrics-file");
    for (String option : options) {
      assertThat(launchedBriefly(option, "list", "gc")).as(option).isFalse();
      assertThat(launchedBriefly(option, "gc", "list")).as(option).isTrue();
    }
  }

  @Test
  void empty_element_of_the_class_path_of_stores_is_refused() throws IOException {
    javaThatPrintsItsArguments();
    for (String jars : List.of(":/a.jar", "/a.jar:", "/a.jar::/b.jar")) {
      Command launched = launch(scratch.resolve("jdk"), Map.of("JGIT_S3_CLASSPATH", jars), "list");
      assertThat(launched.exitCode()).as(jars).isEqualTo(1);
      assertThat(launched.stderr()).contains("JGIT_S3_CLASSPATH has an empty element");
    }
  }

  @Test
  void repository_called_as_a_command_does_not_choose_the_jvm() throws IOException {
    javaThatPrintsItsArguments();
    for (String name : List.of("serve", "gc", "list")) {
      assertThat(launchedBriefly("stats", name)).as("stats %s", name).isTrue();
      assertThat(launchedBriefly("gc", name)).as("gc %s", name).isFalse();
      assertThat(launchedBriefly("--store", name, "--debug", "list")).as("in %s", name).isTrue();
    }
    assertThat(launchedBriefly("--config", "list", "--store=list", "gc", "list")).isFalse();
    Map<String, String> options = Map.of("JGIT_S3_JAVA_OPTS", "-Xmx64m");
    assertThat(launch(scratch.resolve("jdk"), options, "stats", "serve").succeeds().stdout())
        .contains("-Xmx64m")
        .doesNotContain("ExitOnOutOfMemoryError");
  }

  @Test
  void release_asks_a_jvm_that_cannot_archive_classes_once() throws IOException {
    Path release = release();
    Path asked = scratch.resolve("asked");
    javaThatRuns("case $* in *ArchiveClassesAtExit*) echo >>%s; exit 1;; esac".formatted(asked));
    for (int i = 0; i < 2; i++) {
      answersOnly(launch(scratch.resolve("jdk"), Map.of(), "list", "--json"));
    }
    assertThat(Files.readString(asked)).isEqualTo("\n");
    assertThat(archives(release)).hasSize(1).allSatisfy(file -> assertThat(file).isEmptyFile());
  }

  @Test
  void release_is_never_built_and_archives_its_classes_once() throws IOException {
    Path release = release();
    answersOnly(launch(Map.of()));
    List<Path> made = archives(release);
    assertThat(made).hasSize(1);
    FileTime modified = Files.getLastModifiedTime(made.get(0));
    answersOnly(launch(Map.of()));
    assertThat(archives(release)).isEqualTo(made);
    assertThat(Files.getLastModifiedTime(made.get(0))).isEqualTo(modified);
    Command loading =
        launch(
            Map.of("JGIT_S3_JAVA_OPTS", "-Xlog:class+load -XX:SharedArchiveFile=" + made.get(0)));
    assertThat(loading.stdout().lines())
        .anyMatch(line -> line.contains("jgits3.server.Main source: shared objects file (top)"));
  }

  /** Replaces the clone by a release, without Maven. */
  private Path release() throws IOException {
    Path release = Files.createDirectory(scratch.resolve("release"));
    Files.move(clone.resolve("jgit-s3"), release.resolve("jgit-s3"));
    Files.copy(jar, release.resolve("jgit-s3-server.jar"));
    Files.createSymbolicLink(release.resolve("lib"), ROOT.resolve("jgit-s3-server/target/lib"));
    Files.delete(scratch.resolve("bin/mvn"));
    clone = release;
    return release;
  }

  /** Archives of classes in a directory, unfinished ones included. */
  private static List<Path> archives(Path directory) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.filter(file -> file.toString().contains(".jsa")).toList();
    }
  }

  private void javaThatPrintsItsArguments() throws IOException {
    javaThatRuns("[ \"$1\" = -version ] || { echo \"$@\"; exit; }");
  }

  /** Makes a {@code java} that runs a script first. */
  private void javaThatRuns(String script) throws IOException {
    Path java = Files.createDirectories(scratch.resolve("jdk/bin")).resolve("java");
    Files.writeString(
        java, "#!/bin/sh\n%s\nexec '%s/bin/java' \"$@\"\n".formatted(script, JAVA_HOME));
    Files.setPosixFilePermissions(java, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  /** Asks a {@code java} that prints its arguments. */
  private boolean launchedBriefly(String... command) {
    return launch(scratch.resolve("jdk"), Map.of(), command)
        .succeeds()
        .stdout()
        .contains("-XX:TieredStopAtLevel=1");
  }

  @Test
  void jdks_whose_g1_gives_up_early_are_told_to_go_on() {
    Command told = launch(Map.of("JGIT_S3_JAVA_OPTS", "-XX:+PrintCommandLineFlags")).succeeds();
    assertThat(told.stdout().contains(" -XX:GCLockerRetryAllocationCount=1000 "))
        .as(told.stdout())
        .isEqualTo(Runtime.version().feature() < 22);
  }

  @Test
  void a_server_ends_when_its_heap_is_exhausted_and_no_other_command_does() {
    Map<String, String> shown = Map.of("JGIT_S3_JAVA_OPTS", "-XX:+PrintCommandLineFlags");
    assertThat(launch(shown, "serve", "--help").succeeds().stdout())
        .contains(" -XX:+ExitOnOutOfMemoryError ");
    assertThat(launch(shown, "gc", "--help").succeeds().stdout())
        .doesNotContain("ExitOnOutOfMemoryError");
  }

  @Test
  void names_are_utf_8_in_every_locale() {
    inLocaleC("\"$0\" --store \"$1\" init \"$(printf 'gr\\303\\274n/\\346\\227\\245')\"")
        .succeeds();
    assertThat(inLocaleC("\"$0\" --store \"$1\" list").succeeds().stdout()).isEqualTo("grün/日\n");
    assertThat(inLocaleC("\"$0\" --store \"$1\" list --json").succeeds().stdout())
        .isEqualTo("[ \"grün/日\" ]\n");
  }

  @Test
  void name_that_the_locale_cannot_decode_is_refused() {
    Command refused =
        inLocaleC(
            "exec \"$2/bin/java\" -jar \"$3\" --store \"$1\" init \"$(printf 'gr\\303\\274n')\"");
    assertThat(refused.failsInOneLine(2).stderr()).contains("U+FFFD").contains("UTF-8");
    Command invalid = inLocaleC("\"$0\" --store \"$1\" init \"$(printf 'gr\\374n')\"");
    assertThat(invalid.failsInOneLine(2).stderr()).contains("U+FFFD").contains("UTF-8");
  }

  /**
   * Runs a script in a locale without UTF-8. Its arguments are the launcher, the store, a JDK and
   * the jar.
   */
  private Command inLocaleC(String script) {
    return Command.finish(
        List.of(
            "sh",
            "-c",
            script,
            clone.resolve("jgit-s3").toString(),
            "file:" + scratch.resolve("data"),
            JAVA_HOME.toString(),
            jar.toString()),
        Map.of("LC_ALL", "C", "JAVA_HOME", JAVA_HOME.toString()));
  }

  /** Makes a source newer than the jar. */
  private void changeSource() throws IOException {
    Files.setLastModifiedTime(jar, FileTime.from(Instant.now().minusSeconds(60)));
    Files.createDirectories(clone.resolve("jgit-s3-server/src/main/Changed"));
  }

  private Command launch(Map<String, String> environment) {
    return launch(environment, "list", "--json");
  }

  private Command launch(Map<String, String> environment, String... command) {
    return launch(JAVA_HOME, environment, command);
  }

  private Command launch(Path jdk, Map<String, String> environment, String... command) {
    List<String> line = new ArrayList<>();
    line.addAll(List.of("env", "PATH=" + scratch.resolve("bin") + ":" + System.getenv("PATH")));
    line.addAll(List.of("JAVA_HOME=" + jdk, clone.resolve("jgit-s3").toString()));
    line.addAll(List.of("--config", "/dev/null", "--store", "file:" + scratch.resolve("data")));
    line.addAll(List.of(command));
    return Command.finish(line, environment);
  }

  /** Asserts that a command printed the answer and nothing else. */
  private static void answersOnly(Command command) {
    assertThat(command.succeeds().stdout()).as(command.toString()).isEqualTo("[ ]\n");
    assertThat(command.stderr()).as(command.toString()).isEmpty();
  }
}
