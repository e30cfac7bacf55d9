// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The classes that a program loads, in the form in which a JVM maps them: what application
 * class-data sharing makes of a run of it. A JVM for which the archive does not fit ignores it.
 *
 * @param file the archive, which need not be there
 */
public record ClassArchive(Path file) {
  private static final Duration LIMIT = Duration.ofMinutes(2);

  /**
   * Runs a program, and archives the classes that it has loaded when it ends.
   *
   * @param training the program, doing what it does later
   * @param log file for what it prints
   * @throws IOException if it fails, or a JVM makes no archive of it, as of classes in directories;
   *     there is none then
   * @throws InterruptedException if the thread was interrupted; the JVM is gone
   */
  public void write(JvmProgram training, Path log) throws IOException, InterruptedException {
    List<String> options = new ArrayList<>(training.options());
    options.add("-XX:ArchiveClassesAtExit=" + file);
    Optional<JvmProgram.Ended> ended =
        new JvmProgram(options, training.main(), training.arguments()).run(LIMIT, log);
    boolean well = ended.isPresent() && ended.get().exitCode() == 0;
    if (!well) {
      Files.deleteIfExists(file);
    }
    if (!Files.isRegularFile(file)) {
      throw new IOException("no classes are archived; see " + log);
    }
  }

  /**
   * Options of a JVM that runs the program.
   *
   * @return options; none if there is no archive
   */
  public List<String> options() {
    return Files.isRegularFile(file) ? List.of("-XX:SharedArchiveFile=" + file) : List.of();
  }
}
