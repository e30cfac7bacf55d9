// SPDX-License-Identifier: Apache-2.0
package org.jgits3.gerrit.repository;

import com.google.gerrit.entities.Project;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jgits3.manifest.RepositoryName;

/**
 * Project names as names of repositories. Refuses what Gerrit refuses for repositories on a local
 * disk, so that a site can be taken back there, and what the library refuses.
 */
public final class ProjectNames {
  /** Wildcards, redirections, characters that are special in URLs, and delimiters of change ids. */
  private static final Pattern FORBIDDEN = Pattern.compile("[?%*:<>|$\r~\\\\]|/\\+");

  /** Paths that lead elsewhere or have more than one spelling. */
  private static final Pattern UNCLEAR = Pattern.compile("^/|/$|//|^\\.\\./|/\\.\\.?/|\\.git/");

  private ProjectNames() {}

  /**
   * Finds the repository of a project.
   *
   * @param project the project
   * @return name of its repository; empty if the name of the project is not allowed
   */
  public static Optional<RepositoryName> repository(Project.NameKey project) {
    String name = project.get();
    if (FORBIDDEN.matcher(name).find() || UNCLEAR.matcher(name).find()) {
      return Optional.empty();
    }
    try {
      return Optional.of(RepositoryName.of(name));
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
  }
}
