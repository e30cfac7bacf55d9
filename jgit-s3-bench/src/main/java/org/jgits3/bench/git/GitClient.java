// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.git;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.concurrent.TimeUnit;
import org.jgits3.bench.process.Leftovers;
import org.jgits3.bench.process.ScratchDirectory;

/**
 * The git on the PATH, shielded from the user's configuration. Safe for use by many threads.
 *
 * @param home directory for its configuration and what it prints; it exists
 */
public record GitClient(Path home) {
  private static final Duration LIMIT = Duration.ofMinutes(30);

  private static final String CONFIG =
      """
      [user] name = A U Thor
        email = author@example.com
      [init] defaultBranch = main
      [gc] auto = 0
      [maintenance] auto = false
      [safe] directory = *
      """;

  /** Writes what a command reads. */
  @FunctionalInterface
  public interface Input {
    /**
     * Writes all of it.
     *
     * @param stdin standard input of the command
     * @throws IOException if the command reads no more
     */
    void writeTo(OutputStream stdin) throws IOException;
  }

  /** Fills a repository. */
  @FunctionalInterface
  public interface Content {
    /**
     * Fills a repository.
     *
     * @param repository directory of the empty repository
     * @throws IOException if git fails, or the directory cannot be written
     * @throws InterruptedException if the thread was interrupted
     */
    void fill(Path repository) throws IOException, InterruptedException;
  }

  /**
   * A git with a configuration of its own.
   *
   * @param home directory for its configuration and what it prints; created if it is not there
   * @return the client
   * @throws IOException if the directory cannot be written
   */
  public static GitClient in(Path home) throws IOException {
    Files.writeString(Files.createDirectories(home).resolve("gitconfig"), CONFIG);
    return new GitClient(home);
  }

  /**
   * Makes a bare repository whole or not at all, unless it is there.
   *
   * @param directory where
   * @param content fills it
   * @throws IOException if git or the filling fails, or the directory cannot be written
   * @throws InterruptedException if the thread was interrupted
   */
  public void makeBare(Path directory, Content content) throws IOException, InterruptedException {
    if (Files.isDirectory(directory)) {
      return;
    }
    try (ScratchDirectory scratch =
        ScratchDirectory.create(
            directory.resolveSibling(directory.getFileName() + ".unfinished"))) {
      run(scratch.path(), "init", "-q", "--bare");
      content.fill(scratch.path());
      Files.move(scratch.path(), directory, StandardCopyOption.ATOMIC_MOVE);
    }
  }

  /**
   * Runs a command.
   *
   * @param directory where
   * @param args arguments after {@code git}
   * @return what it printed, without white space at the end
   * @throws IOException if it fails, with what it said
   * @throws InterruptedException if the thread was interrupted; the command is ended then
   */
  public String run(Path directory, String... args) throws IOException, InterruptedException {
    return run(directory, stdin -> {}, args);
  }

  /**
   * Runs a command that reads.
   *
   * @param directory where
   * @param input what it reads
   * @param args arguments after {@code git}
   * @return what it printed, without white space at the end
   * @throws IOException if it fails, with what it said
   * @throws InterruptedException if the thread was interrupted; the command is ended then
   */
  public String run(Path directory, Input input, String... args)
      throws IOException, InterruptedException {
    Ended ended = attempt(directory, LIMIT, input, args);
    if (ended.exitCode().isEmpty()) {
      throw failure(args, "still running after " + LIMIT.toMinutes() + " minutes");
    }
    if (ended.exitCode().getAsInt() != 0) {
      throw failure(args, ended.errors());
    }
    return ended.printed();
  }

  /**
   * Outcome of a command that may fail.
   *
   * @param exitCode its exit code; empty if it took too long
   * @param printed what it printed, without white space at the end
   * @param errors what it printed as errors
   */
  public record Ended(OptionalInt exitCode, String printed, String errors) {
    /**
     * Tests whether it did what it should.
     *
     * @return true if its exit code is 0
     */
    public boolean succeeded() {
      return exitCode.orElse(-1) == 0;
    }

    /**
     * Tests whether the server said that it is busy.
     *
     * @return true if it did, and the command was not done
     */
    public boolean refusedAsBusy() {
      return !succeeded()
          && exitCode.isPresent()
          && (errors.contains("error: 503") || errors.contains("the server is busy"));
    }
  }

  /**
   * Runs a command that may fail, or never end.
   *
   * @param directory where
   * @param limit how long it may take; it is ended then
   * @param args arguments after {@code git}
   * @return how it ended
   * @throws IOException if it cannot be started
   * @throws InterruptedException if the thread was interrupted; the command is ended then
   */
  public Ended attempt(Path directory, Duration limit, String... args)
      throws IOException, InterruptedException {
    return attempt(directory, limit, stdin -> {}, args);
  }

  /**
   * Clones a repository, and checks every object of the clone.
   *
   * @param url its URL
   * @param clone directory to be made
   * @param limit how long each of the two commands may take
   * @return the command that failed, or the last
   * @throws IOException if it cannot be started
   * @throws InterruptedException if the thread was interrupted; the command is ended then
   */
  public Ended cloneAndCheck(String url, Path clone, Duration limit)
      throws IOException, InterruptedException {
    Ended cloned = attempt(home, limit, "clone", "-q", "--mirror", url, clone.toString());
    return cloned.succeeded() ? attempt(clone, limit, "fsck", "--full", "--strict") : cloned;
  }

  private Ended attempt(Path directory, Duration limit, Input input, String... args)
      throws IOException, InterruptedException {
    Path out = Files.createTempFile(home, "git", ".out");
    Path err = Files.createTempFile(home, "git", ".err");
    try {
      Process git = start(directory, out, err, args);
      boolean inTime;
      try {
        feed(git, input);
        inTime = git.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS);
      } finally {
        Leftovers.end(git);
      }
      return new Ended(
          inTime ? OptionalInt.of(git.exitValue()) : OptionalInt.empty(),
          Files.readString(out, StandardCharsets.UTF_8).stripTrailing(),
          Files.readString(err, StandardCharsets.UTF_8));
    } finally {
      Files.delete(out);
      Files.delete(err);
    }
  }

  private Process start(Path directory, Path out, Path err, String... args) throws IOException {
    List<String> command = new ArrayList<>(List.of("git"));
    command.addAll(Arrays.asList(args));
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .directory(directory.toFile())
            .redirectOutput(out.toFile())
            .redirectError(err.toFile());
    Map<String, String> environment = builder.environment();
    environment.keySet().removeIf(name -> name.startsWith("GIT_") || name.endsWith("_proxy"));
    environment.putAll(
        Map.of(
            "HOME",
            home.toString(),
            "LC_ALL",
            "C",
            "GIT_CONFIG_NOSYSTEM",
            "1",
            "GIT_CONFIG_GLOBAL",
            home.resolve("gitconfig").toAbsolutePath().toString(),
            "GIT_TERMINAL_PROMPT",
            "0",
            "GIT_AUTHOR_DATE",
            "1700000000 +0000",
            "GIT_COMMITTER_DATE",
            "1700000000 +0000"));
    try {
      return Leftovers.start(builder);
    } catch (IOException e) {
      throw new IOException("git is needed on the PATH: " + e.getMessage(), e);
    }
  }

  private static void feed(Process git, Input input) throws IOException {
    try (OutputStream stdin = new BufferedOutputStream(git.getOutputStream(), 1 << 16)) {
      input.writeTo(stdin);
    } catch (IOException e) {
      if (git.isAlive() || git.exitValue() == 0) {
        throw e;
      } // otherwise it ended before it had read all, and says itself why
    }
  }

  private static IOException failure(String[] args, String why) {
    return new IOException("git " + args[0] + ": " + why.strip());
  }
}
