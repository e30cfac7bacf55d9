// SPDX-License-Identifier: Apache-2.0
package org.jgits3.testing;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * The real {@code git}, run in one directory and shielded from the machine it runs on: its own home
 * and configuration, a fixed identity and clock, no locale, no prompts, no proxies, and a deadline
 * per command.
 *
 * <p>Pass names outside ASCII through standard input, never as arguments: how Java encodes
 * arguments depends on the locale it was started in. Immutable; many threads may run commands at a
 * time.
 *
 * @param home where configuration and captured output go
 * @param directory working directory of the commands
 */
public record GitClient(Path home, Path directory) {
  private static final long DEADLINE_SECONDS = 300;

  private static final String CONFIG =
      """
      [user]
        name = A U Thor
        email = author@example.com
      [init]
        defaultBranch = main
      [gc]
        auto = 0
      [maintenance]
        auto = false
      [safe]
        directory = *
      [protocol "file"]
        allow = always
      [advice]
        detachedHead = false
      """;

  /** Writes what a command reads from its standard input. */
  @FunctionalInterface
  public interface Input {
    /**
     * Writes the input.
     *
     * @param stdin stream to write to; closed by the caller
     * @throws IOException if git stops reading
     */
    void writeTo(OutputStream stdin) throws IOException;
  }

  /**
   * A client with a fresh configuration.
   *
   * @param scratch directory for home and repositories; created if missing
   * @return client that works in {@code scratch}
   * @throws IOException if the directory cannot be written
   */
  public static GitClient in(Path scratch) throws IOException {
    Path home = Files.createDirectories(scratch.resolve("home"));
    Files.writeString(home.resolve("gitconfig"), CONFIG);
    return new GitClient(home, scratch);
  }

  /**
   * The same client in another directory.
   *
   * @param other directory, absolute or relative to this client's
   * @return client that works there
   */
  public GitClient at(Path other) {
    return new GitClient(home, directory.resolve(other));
  }

  /**
   * The same client in another directory.
   *
   * @param other directory, absolute or relative to this client's
   * @return client that works there
   */
  public GitClient at(String other) {
    return at(Path.of(other));
  }

  /**
   * Makes a repository with a working directory and the branch {@code main}.
   *
   * @param name its directory, relative to this client's
   * @return client that works there
   */
  public GitClient init(String name) {
    run("init", "-q", "-b", "main", name);
    return at(name);
  }

  /**
   * Runs a command that must succeed.
   *
   * @param args arguments after {@code git}
   * @return what it printed, without white space at the end
   */
  public String run(String... args) {
    return succeed(attempt(args));
  }

  /**
   * Runs a command that must succeed, with input.
   *
   * @param input writes its standard input
   * @param args arguments after {@code git}
   * @return what it printed, without white space at the end
   */
  public String run(Input input, String... args) {
    return succeed(attempt(input, args));
  }

  /**
   * Runs a command that may fail.
   *
   * @param args arguments after {@code git}
   * @return how it ended
   */
  public GitResult attempt(String... args) {
    return attempt(stdin -> {}, args);
  }

  /**
   * Runs a command that may fail, with input.
   *
   * @param input writes its standard input; a command that ends before it has read all is judged by
   *     its exit code only
   * @param args arguments after {@code git}
   * @return how it ended
   */
  public GitResult attempt(Input input, String... args) {
    List<String> command = new ArrayList<>(List.of("git"));
    command.addAll(List.of(args));
    try {
      return execute(command, input);
    } catch (IOException e) {
      throw new UncheckedIOException(String.join(" ", command), e);
    }
  }

  /**
   * Writes a file below the working directory and commits it.
   *
   * @param path path of the file; ASCII
   * @param content its content
   * @return id of the commit
   */
  public String commitFile(String path, String content) {
    String subject = content.lines().findFirst().orElse("");
    return commit(path, content.getBytes(StandardCharsets.UTF_8), "\n\n" + subject);
  }

  /**
   * Writes a file of random bytes below the working directory and commits it.
   *
   * @param path path of the file; ASCII
   * @param size its size
   * @param seed what the bytes follow from
   * @return id of the commit
   */
  public String commitRandomFile(String path, int size, long seed) {
    byte[] content = new byte[size];
    new Random(seed).nextBytes(content);
    return commit(path, content, "");
  }

  private String commit(String path, byte[] content, String body) {
    try {
      Path file = directory.resolve(path);
      Files.createDirectories(file.getParent());
      Files.write(file, content);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    run("add", path);
    run("commit", "-q", "-m", "Change " + path + body);
    return run("rev-parse", "HEAD");
  }

  private GitResult execute(List<String> command, Input input) throws IOException {
    Path stdout = Files.createTempFile(home, "git", ".out");
    Path stderr = Files.createTempFile(home, "git", ".err");
    try {
      Process git = start(command, stdout, stderr);
      CompletableFuture<Process> ended =
          git.onExit()
              .orTimeout(DEADLINE_SECONDS, TimeUnit.SECONDS)
              .whenComplete((process, late) -> kill(git, late));
      feed(git, input);
      try {
        ended.join();
      } catch (RuntimeException late) {
        throw new AssertionError(
            "git did not end within "
                + DEADLINE_SECONDS
                + " s\n"
                + result(command, -1, stdout, stderr),
            late);
      }
      return result(command, git.exitValue(), stdout, stderr);
    } finally {
      Files.delete(stdout);
      Files.delete(stderr);
    }
  }

  private Process start(List<String> command, Path stdout, Path stderr) throws IOException {
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .directory(directory.toFile())
            .redirectOutput(stdout.toFile())
            .redirectError(stderr.toFile());
    Map<String, String> environment = builder.environment();
    String path = environment.getOrDefault("PATH", "/usr/bin:/bin");
    environment.clear();
    environment.put("PATH", path);
    environment.put("HOME", home.toString());
    environment.put("LC_ALL", "C");
    environment.put("GIT_CONFIG_NOSYSTEM", "1");
    environment.put("GIT_CONFIG_GLOBAL", home.resolve("gitconfig").toString());
    environment.put("GIT_TERMINAL_PROMPT", "0");
    environment.put("GIT_ASKPASS", "true");
    environment.put("GIT_EDITOR", "true");
    environment.put("GIT_AUTHOR_DATE", "1700000000 +0000");
    environment.put("GIT_COMMITTER_DATE", "1700000000 +0000");
    return builder.start();
  }

  private static void feed(Process git, Input input) {
    try (OutputStream stdin = git.getOutputStream()) {
      input.writeTo(stdin);
    } catch (IOException endedEarly) {
      // Git ended, or was ended by the deadline, before it had read everything: its exit code and
      // message, or the deadline, say why.
      git.onExit().join();
    }
  }

  private static void kill(Process git, Throwable late) {
    if (late != null) {
      git.descendants().forEach(ProcessHandle::destroyForcibly);
      git.destroyForcibly();
    }
  }

  private static GitResult result(List<String> command, int exitCode, Path stdout, Path stderr)
      throws IOException {
    return new GitResult(command, exitCode, decode(stdout), decode(stderr));
  }

  /** Bytes that are not UTF-8 must not hide the rest of a message. */
  private static String decode(Path file) throws IOException {
    return new String(Files.readAllBytes(file), StandardCharsets.UTF_8);
  }

  private static String succeed(GitResult result) {
    if (!result.ok()) {
      throw new AssertionError(result.toString());
    }
    return result.stdout().stripTrailing();
  }
}
