// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.e2e.users;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jgits3.server.e2e.process.Command;
import org.jgits3.server.e2e.process.ServedStore;
import org.jgits3.server.e2e.process.ServerProcess;
import org.jgits3.testing.GitClient;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Users that the command adds and removes while a server runs. */
class UsersIT {
  @TempDir private Path scratch;

  private List<String> line(String... command) {
    return Command.javaCommand(Command.BRIEF, List.of(command));
  }

  /** Adds a user whose password comes from standard input. */
  private void add(Path users, String name, String password) {
    Path input = scratch.resolve("password");
    try {
      Files.writeString(input, password + "\n");
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
    String program =
        String.join(" ", line("users", "add", "--password-stdin", "--users", "\"$1\"", "\"$2\""));
    Command.finish(
            List.of("sh", "-c", program + " < \"$0\"", input.toString(), users.toString(), name),
            Map.of())
        .succeeds();
  }

  private static Command users(Path users, String command, String... names) {
    List<String> args = new ArrayList<>(List.of("users", command));
    args.addAll(List.of("--users", users.toString()));
    args.addAll(List.of(names));
    return Command.run(Map.of(), args);
  }

  @Test
  void git_logs_in_as_a_user_for_as_long_as_the_file_has_the_user() throws Exception {
    Path users = scratch.resolve("users");
    add(users, "ada", "s\u00e9cret");
    GitClient work = GitClient.in(scratch).init("work");
    work.run("commit", "-q", "--allow-empty", "-m", "first");
    try (ServerProcess server =
        ServerProcess.start(
            ServedStore.directory(scratch),
            "--create-on-push",
            "--users",
            users.toString(),
            "--shutdown-timeout",
            "0")) {
      String ada = server.url("r").replace("http://", "http://ada:s%C3%A9cret@");
      String bob = server.url("r").replace("http://", "http://bob:other@");
      work.run("push", "-q", ada, "HEAD:refs/heads/main");
      assertThat(work.attempt("ls-remote", bob).exitCode()).isNotZero();
      add(users, "bob", "other");
      assertThat(users(users, "list").succeeds().stdout()).isEqualTo("ada\nbob\n");
      work.run("ls-remote", bob);
      users(users, "remove", "ada").succeeds();
      assertThat(work.attempt("ls-remote", ada).exitCode()).isNotZero();
      Files.writeString(users, "not a file of users\n");
      work.run("ls-remote", bob);
      assertThat(server.log()).contains("the users of the last good file stay: " + users + ":1: ");
    }
  }

  @Test
  void password_typed_on_a_terminal_is_not_shown() throws Exception {
    Path users = scratch.resolve("users");
    String program = String.join(" ", line("users", "add", "--users", users.toString(), "ada"));
    Process terminal =
        new ProcessBuilder("script", "-qec", program, "/dev/null")
            .redirectErrorStream(true)
            .start();
    try (OutputStream keyboard = terminal.getOutputStream();
        InputStream screen = terminal.getInputStream()) {
      StringBuilder shown = new StringBuilder();
      for (String prompt : List.of("Password of ada: ", "Once more: ")) {
        readUntil(prompt, screen, shown);
        keyboard.write("secret\n".getBytes(UTF_8));
        keyboard.flush();
      }
      readUntil("Added ada", screen, shown);
      assertThat(shown.toString()).doesNotContain("secret");
      assertThat(terminal.waitFor()).isZero();
    } finally {
      terminal.destroyForcibly();
    }
    assertThat(Files.readString(users)).startsWith("ada:$2y$10$");
  }

  private static void readUntil(String text, InputStream screen, StringBuilder shown)
      throws IOException {
    while (shown.indexOf(text) < 0) {
      int next = screen.read();
      assertThat(next).as("shown: %s", shown).isNotNegative();
      shown.append((char) next);
    }
  }

  @Test
  void without_a_terminal_a_password_is_not_asked_for() {
    Path users = scratch.resolve("users");
    Command refused =
        Command.finish(line("users", "add", "--users", users.toString(), "ada"), Map.of());
    assertThat(refused.failsInOneLine(1).stderr()).contains("--password-stdin");
    assertThat(users).doesNotExist();
    assertThat(users(users, "add", "ada", "--password-stdin=secret").failsInOneLine(2).stderr())
        .doesNotContain("secret\n");
  }
}
