// SPDX-License-Identifier: Apache-2.0
package org.jgits3.examples.store;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jgits3.ObjectStoreProvider;
import org.jgits3.server.Main;
import org.jgits3.testing.ForkedJvm;
import org.jgits3.testing.GitClient;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The command line and the server use a store whose provider is in a jar on their class path. */
class ProvidedStoreTest {
  private static final Pattern ANNOUNCED = Pattern.compile("http://127\\.0\\.0\\.1:\\d+/");
  private static final long SECONDS_TO_END = 60;

  @TempDir Path scratch;
  private String withoutProvider;
  private String withProvider;

  @BeforeEach
  void make_a_jar_of_the_provider() throws Exception {
    Path classes =
        Path.of(
            MemoryStoreProvider.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    withoutProvider =
        Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator, -1))
            .filter(entry -> !Path.of(entry).equals(classes))
            .collect(Collectors.joining(File.pathSeparator));
    Path jar = scratch.resolve("memory-store.jar");
    try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar))) {
      add(out, "META-INF/services/" + ObjectStoreProvider.class.getName());
      for (String name : List.of("MemoryStoreProvider", "MemoryObjectStore")) {
        try (var files =
            Files.newDirectoryStream(
                classes.resolve("org/jgits3/examples/store"), name + "*.class")) {
          for (Path file : files) {
            add(out, classes.relativize(file).toString());
          }
        }
      }
    }
    withProvider = withoutProvider + File.pathSeparator + jar;
  }

  private static void add(JarOutputStream out, String name) throws IOException {
    out.putNextEntry(new JarEntry(name));
    try (InputStream in = MemoryStoreProvider.class.getClassLoader().getResourceAsStream(name)) {
      in.transferTo(out);
    }
  }

  @Test
  void server_serves_repositories_from_a_store_of_a_provider() throws Exception {
    GitClient work = GitClient.in(scratch).init("work");
    work.run("commit", "-q", "--allow-empty", "-m", "first");
    Process server =
        jgitS3(
                withProvider,
                "memory:served",
                "serve",
                "--listen",
                "127.0.0.1:0",
                "--create-on-push")
            .start();
    try (BufferedReader said = server.inputReader(UTF_8)) {
      String url = announced(said) + "r.git";
      work.run("push", "-q", url, "main");
      assertThat(GitClient.in(scratch).run("ls-remote", url, "refs/heads/main"))
          .startsWith(work.run("rev-parse", "main").strip());
      server.destroy();
      assertThat(server.waitFor(SECONDS_TO_END, TimeUnit.SECONDS)).isTrue();
    } finally {
      server.destroyForcibly();
    }
  }

  private static String announced(BufferedReader said) throws IOException {
    StringBuilder all = new StringBuilder();
    for (String line = said.readLine(); line != null; line = said.readLine()) {
      all.append(line).append('\n');
      Matcher announced = ANNOUNCED.matcher(line);
      if (announced.find()) {
        return announced.group();
      }
    }
    throw new AssertionError("the server has ended: " + all);
  }

  @Test
  void doctor_probes_a_store_of_a_provider_with_races() throws Exception {
    assertThat(said(0, withProvider, "memory:probed", "doctor"))
        .contains("memory:probed\n")
        .containsPattern("ok +update-race ")
        .doesNotContain("FAILED", "If-Match of a PUT"); // a dialect of S3
  }

  @Test
  void without_the_jar_one_line_names_the_schemes_that_are_there() throws Exception {
    assertThat(said(2, withoutProvider, "memory:none", "list"))
        .isEqualTo(
            "jgit-s3: 'memory:none' is not a store: no jar on the class path provides memory:,"
                + " only file:, s3:\n");
  }

  @Test
  void provider_that_cannot_be_loaded_is_told_in_one_line() throws Exception {
    Path services = scratch.resolve("broken/META-INF/services");
    Files.createDirectories(services);
    Files.writeString(services.resolve(ObjectStoreProvider.class.getName()), "org.example.Gone\n");
    String broken = withoutProvider + File.pathSeparator + scratch.resolve("broken");
    assertThat(said(2, broken, "memory:none", "list"))
        .startsWith("jgit-s3: 'memory:none': a provider of stores cannot be loaded: ")
        .contains("org.example.Gone")
        .hasLineCount(1);
    assertThat(said(0, broken, "file:" + scratch.resolve("data"), "list")).isEmpty();
  }

  private String said(int exitCode, String classPath, String store, String... command)
      throws Exception {
    Process process = jgitS3(classPath, store, command).start();
    try (InputStream out = process.getInputStream()) {
      String said = new String(out.readAllBytes(), UTF_8);
      assertThat(process.waitFor(SECONDS_TO_END, TimeUnit.SECONDS)).isTrue();
      assertThat(process.exitValue()).as(said).isEqualTo(exitCode);
      return said;
    } finally {
      process.destroyForcibly();
    }
  }

  /** Prepares a command whose output and errors are read together. */
  private ProcessBuilder jgitS3(String classPath, String store, String... command) {
    String[] args = new String[command.length + 4];
    System.arraycopy(new String[] {"--config", "/dev/null", "--store", store}, 0, args, 0, 4);
    System.arraycopy(command, 0, args, 4, command.length);
    return ForkedJvm.program(List.of("-cp", classPath), Main.class, args)
        .redirectErrorStream(true)
        .directory(scratch.toFile());
  }
}
