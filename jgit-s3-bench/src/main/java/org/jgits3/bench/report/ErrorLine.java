// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.report;

import java.nio.file.FileSystemException;
import java.util.Locale;

/** Error messages in one line. */
public final class ErrorLine {
  private ErrorLine() {}

  /**
   * The message of an exception; of one that has only the name of a file, also what it means.
   *
   * @param e the exception
   * @return one line, not empty
   */
  public static String of(Exception e) {
    String message = e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
    if (e instanceof FileSystemException file && file.getReason() == null) {
      message = file.getFile() + ": " + words(file);
    }
    return of(message);
  }

  /** Joins the lines of a message. */
  static String of(String message) {
    return message.replaceAll("\\p{Cntrl}+", " ").strip();
  }

  /** "access denied" for {@code AccessDeniedException}. */
  private static String words(FileSystemException e) {
    return e.getClass()
        .getSimpleName()
        .replace("Exception", "")
        .replaceAll("(?<=[a-z])(?=[A-Z])", " ")
        .toLowerCase(Locale.ROOT);
  }
}
