// SPDX-License-Identifier: Apache-2.0
package org.jgits3.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Programs of tests that need a JVM of their own: for its heap, or for what it has only one of. */
public final class ForkedJvm {
  private static final long SECONDS_TO_END = 60;

  private ForkedJvm() {}

  /**
   * Runs a program to its end. Its errors go where those of this JVM go.
   *
   * @param options options of the JVM; a class path among them replaces that of this one
   * @param main the program
   * @param args its arguments
   * @return what it printed, without white space around it
   * @throws IOException if it cannot be started
   * @throws InterruptedException if the thread was interrupted; the program is gone
   */
  public static String run(List<String> options, Class<?> main, String... args)
      throws IOException, InterruptedException {
    return run(List.of(), options, main, args);
  }

  /**
   * Runs a program to its end that can have few files and connections open, as {@link #run} does.
   * Takes a POSIX shell.
   *
   * @param descriptors how many
   * @param options options of the JVM
   * @param main the program
   * @param args its arguments
   * @return what it printed, without white space around it
   * @throws IOException if it cannot be started
   * @throws InterruptedException if the thread was interrupted; the program is gone
   */
  public static String runWithDescriptors(
      int descriptors, List<String> options, Class<?> main, String... args)
      throws IOException, InterruptedException {
    String limited = "ulimit -n " + descriptors + " && exec \"$0\" \"$@\"";
    return run(List.of("sh", "-c", limited), options, main, args);
  }

  /**
   * Prepares a program, for a caller that starts and ends it. Its errors go where those of this JVM
   * go.
   *
   * @param main the program
   * @param args its arguments
   * @return the program, not started
   */
  public static ProcessBuilder program(Class<?> main, String... args) {
    return program(List.of(), main, args);
  }

  /**
   * Prepares a program as {@link #program(Class, String...)} does.
   *
   * @param options options of the JVM; a class path among them replaces that of this one
   * @param main the program
   * @param args its arguments
   * @return the program, not started
   */
  public static ProcessBuilder program(List<String> options, Class<?> main, String... args) {
    return program(List.of(), options, main, args);
  }

  private static ProcessBuilder program(
      List<String> before, List<String> options, Class<?> main, String... args) {
    List<String> command = new ArrayList<>(before);
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.add("-XX:TieredStopAtLevel=1"); // none lives long
    if (options.stream().noneMatch(option -> option.matches("-XX:.Use.*GC"))) {
      command.add("-XX:+UseSerialGC");
    }
    command.addAll(options);
    command.add(main.getName());
    command.addAll(List.of(args));
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().put("LC_ALL", "C.UTF-8"); // tests compare messages of the system
    return builder.redirectError(ProcessBuilder.Redirect.INHERIT);
  }

  private static String run(
      List<String> before, List<String> options, Class<?> main, String... args)
      throws IOException, InterruptedException {
    Process process = program(before, options, main, args).start();
    try {
      String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertThat(process.waitFor(SECONDS_TO_END, TimeUnit.SECONDS)).isTrue();
      return said.strip();
    } finally {
      process.destroyForcibly();
    }
  }
}
