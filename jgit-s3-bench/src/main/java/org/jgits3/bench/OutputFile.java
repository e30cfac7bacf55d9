// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.function.Function;
import org.jgits3.bench.report.ErrorLine;
import org.jgits3.bench.report.Results;

/**
 * A file that gets results when everything has been measured, which may take an hour: whether it
 * can be written is looked at before.
 *
 * @param option option of the command line that names it
 * @param path the file
 * @param form what is written there
 */
public record OutputFile(String option, Path path, Function<Results, String> form) {
  /**
   * Looks whether it can be written, and leaves it as it is.
   *
   * @throws WrongUsageException if it cannot
   */
  public void check() {
    Path directory = path.toAbsolutePath().getParent();
    if (directory == null || Files.isDirectory(path)) {
      throw cannotBeWritten("it is a directory");
    }
    if (!Files.isDirectory(directory)) {
      throw cannotBeWritten("there is no directory " + directory);
    }
    try {
      if (Files.isRegularFile(path)) {
        Files.newOutputStream(path, StandardOpenOption.WRITE).close();
      } else if (!Files.exists(path)) {
        Files.delete(Files.createTempFile(directory, "jgit-s3-bench", ".tmp"));
      } else if (!Files.isWritable(path)) {
        throw cannotBeWritten("access denied");
      }
    } catch (IOException e) {
      throw cannotBeWritten(ErrorLine.of(e));
    }
  }

  private WrongUsageException cannotBeWritten(String why) {
    return new WrongUsageException(option + " " + path + " cannot be written: " + why);
  }

  /**
   * Writes it.
   *
   * @param results the results
   * @throws IOException if it cannot be written after all, with one line that names it
   */
  public void write(Results results) throws IOException {
    try {
      Files.writeString(path, form.apply(results));
    } catch (IOException e) {
      throw new IOException(option + " " + path + " was not written: " + ErrorLine.of(e), e);
    }
  }
}
