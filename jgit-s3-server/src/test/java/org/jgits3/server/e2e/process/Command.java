// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.e2e.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jgits3.server.command.JgitS3;
import org.jgits3.testing.S3Servers;
import picocli.CommandLine;

/**
 * Result of one {@code jgit-s3} command.
 *
 * @param line its command line, for messages
 * @param exitCode its exit code
 * @param stdout its output
 * @param stderr its error output
 */
public record Command(List<String> line, int exitCode, String stdout, String stderr) {
  /** The program as it is packaged: the tests' class path would bring its own logging. */
  private static final Path PROGRAM =
      Path.of(System.getProperty("project.root"), "jgit-s3-server/target/jgit-s3-server.jar");

  /**
   * Options of a JVM that is gone before the optimizing compiler pays, as the launcher has them.
   */
  public static final List<String> BRIEF =
      List.of("-Xmx256m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC");

  private static final List<String> ARCHIVED = ClassArchive.options(PROGRAM);
  private static final long DEADLINE_SECONDS = 120;

  /** Runs a command on a store until it ends. */
  public static Command run(ServedStore store, String... args) {
    List<String> options = new ArrayList<>(store.options());
    options.addAll(List.of(args));
    return run(store.environment(), options);
  }

  /**
   * Runs a command line until it ends: in this JVM, which spares the start of another, unless that
   * has another environment.
   */
  public static Command run(Map<String, String> environment, List<String> args) {
    return isOfThisJvm(environment) ? runHere(args) : finish(javaCommand(BRIEF, args), environment);
  }

  /** Tests whether the AWS SDK finds the same credentials here. */
  private static boolean isOfThisJvm(Map<String, String> environment) {
    return environment.isEmpty()
        || S3Servers.find().filter(s3 -> s3.environment().equals(environment)).isPresent();
  }

  private static Command runHere(List<String> args) {
    StringWriter stdout = new StringWriter();
    StringWriter stderr = new StringWriter();
    String[] words = args.toArray(String[]::new);
    CommandLine line = JgitS3.commandLine(words);
    line.setOut(new PrintWriter(stdout));
    line.setErr(new PrintWriter(stderr));
    int exitCode = line.execute(words);
    return new Command(args, exitCode, stdout.toString(), stderr.toString());
  }

  /** Runs any command line until it ends, as {@link #run} does. */
  public static Command finish(List<String> line, Map<String, String> environment) {
    try {
      Path stdout = Files.createTempFile("command", ".out");
      Path stderr = Files.createTempFile("command", ".err");
      try {
        Process process = start(line, environment, stdout.toFile(), stderr.toFile());
        boolean ended = process.waitFor(DEADLINE_SECONDS, TimeUnit.SECONDS);
        if (!ended) {
          process.destroyForcibly().waitFor();
        }
        Command command =
            new Command(
                line, process.exitValue(), Files.readString(stdout), Files.readString(stderr));
        assertThat(ended).as("ends within %d s: %s", DEADLINE_SECONDS, command).isTrue();
        return command;
      } finally {
        Files.delete(stdout);
        Files.delete(stderr);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    }
  }

  /** The command line of a JVM that runs the program under test. */
  public static List<String> javaCommand(List<String> jvmOptions, List<String> args) {
    List<String> line = new ArrayList<>();
    line.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    line.addAll(ARCHIVED);
    line.addAll(jvmOptions);
    line.addAll(List.of("-jar", PROGRAM.toString()));
    line.addAll(args);
    return line;
  }

  /**
   * Starts a process that knows no AWS settings but the given ones. Both outputs may go to one
   * file: they are appended to it, and do not overwrite each other.
   */
  public static Process start(
      List<String> line, Map<String, String> environment, File stdout, File stderr)
      throws IOException {
    ProcessBuilder builder =
        new ProcessBuilder(line)
            .redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")))
            .redirectOutput(ProcessBuilder.Redirect.appendTo(stdout))
            .redirectError(ProcessBuilder.Redirect.appendTo(stderr));
    builder.environment().keySet().removeIf(name -> name.startsWith("AWS_"));
    // Without this a missing key pair sends the AWS default chain to the network.
    builder.environment().put("AWS_EC2_METADATA_DISABLED", "true");
    builder.environment().putAll(environment);
    return builder.start();
  }

  /** Asserts success. */
  public Command succeeds() {
    assertThat(exitCode).as("exit code of %s", this).isZero();
    return this;
  }

  /** Asserts a failure as users should meet it: one clear line, no stack trace. */
  public Command failsInOneLine(int expectedExitCode) {
    assertThat(exitCode).as("exit code of %s", this).isEqualTo(expectedExitCode);
    assertThat(stderr.lines()).as("complaint of %s", this).hasSize(1);
    assertThat(stderr).doesNotContain("Exception").doesNotContain("\tat ");
    return this;
  }

  @Override
  public String toString() {
    List<String> shown = line.subList(Math.max(0, line.indexOf("-jar") + 1), line.size());
    return String.join(" ", shown)
        + "\nexit code "
        + exitCode
        + "\n--- stdout\n"
        + stdout
        + "\n--- stderr\n"
        + stderr;
  }
}
