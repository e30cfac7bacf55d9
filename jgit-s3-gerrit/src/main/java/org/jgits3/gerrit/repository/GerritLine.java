// SPDX-License-Identifier: Apache-2.0
package org.jgits3.gerrit.repository;

import com.google.gerrit.common.Version;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Release lines of Gerrit that this jar supports. Another line may lack a class or method that is
 * used here, and a request would fail halfway, so such a Gerrit is refused at startup.
 */
public final class GerritLine {
  /** Those that the build compiles and tests against. */
  private static final List<String> SUPPORTED = List.of("3.13", "3.14");

  private static final Pattern LINE = Pattern.compile("(\\d+\\.\\d+)\\b.*");

  private GerritLine() {}

  /**
   * Tests whether the Gerrit that runs is of a supported line.
   *
   * @return true if it is
   */
  public static boolean isSupported() {
    return isSupported(Version.getVersion());
  }

  /**
   * Tests whether a version is of a supported line. Accepts a version that does not begin with
   * numbers, because it is of a custom build.
   *
   * @param version as Gerrit shows it, such as {@code 3.13.5} or {@code (dev)}; may be null
   */
  static boolean isSupported(String version) {
    Matcher line = LINE.matcher(version == null ? "" : version);
    return !line.matches() || SUPPORTED.contains(line.group(1));
  }

  /**
   * Refuses a Gerrit that is not supported.
   *
   * @throws IllegalStateException with one line that says what to do
   */
  static void check() {
    if (!isSupported()) {
      throw new IllegalStateException(
          "lib/jgit-s3-gerrit.jar does not support Gerrit "
              + Version.getVersion()
              + ", only the lines "
              + String.join(" and ", SUPPORTED)
              + "; install one of these, or the jar that is made for this one");
    }
  }
}
