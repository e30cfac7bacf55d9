// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.demo;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Runs the git on the PATH in one working directory, without the user's configuration. */
final class Git {
  private static final long MINUTES = 5;

  private final Path directory;
  private final Path scratch;

  /**
   * Creates a runner.
   *
   * @param directory working directory; created if it does not exist
   * @param scratch directory for its output
   */
  Git(Path directory, Path scratch) throws IOException {
    this.directory = Files.createDirectories(directory);
    this.scratch = scratch;
  }

  /** Runs a command and returns its output. */
  String run(String... args) throws IOException, InterruptedException {
    return feed(new File("/dev/null"), args);
  }

  /** Runs a command with a file as its standard input and returns its output. */
  String feed(File input, String... args) throws IOException, InterruptedException {
    Path out = Files.createTempFile(scratch, "git", ".out");
    Path err = Files.createTempFile(scratch, "git", ".err");
    Process process = start(input, out, err, args);
    try {
      if (!process.waitFor(MINUTES, TimeUnit.MINUTES)) {
        throw failure(args, "still running after " + MINUTES + " minutes");
      }
    } finally {
      process.destroyForcibly();
    }
    if (process.exitValue() != 0) {
      throw failure(args, Files.readString(err));
    }
    return Files.readString(out, StandardCharsets.UTF_8);
  }

  private Process start(File input, Path out, Path err, String... args) throws IOException {
    List<String> command = new ArrayList<>(List.of("git"));
    command.addAll(List.of(args));
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .directory(directory.toFile())
            .redirectInput(input)
            .redirectOutput(out.toFile())
            .redirectError(err.toFile());
    Map<String, String> environment = builder.environment();
    environment.keySet().removeIf(name -> name.startsWith("GIT_"));
    environment.put("GIT_CONFIG_NOSYSTEM", "1");
    environment.put("GIT_CONFIG_GLOBAL", "/dev/null");
    environment.put("GIT_TERMINAL_PROMPT", "0");
    environment.put("HOME", scratch.toString());
    environment.put("LC_ALL", "C");
    for (String role : List.of("AUTHOR", "COMMITTER")) {
      environment.put("GIT_" + role + "_NAME", "Ada Demo");
      environment.put("GIT_" + role + "_EMAIL", "ada@example.com");
    }
    try {
      return builder.start();
    } catch (IOException e) {
      throw new IOException("the demo needs git on the PATH: " + e.getMessage(), e);
    }
  }

  private static IOException failure(String[] args, String why) {
    return new IOException("git " + args[0] + ": " + why.strip());
  }
}
