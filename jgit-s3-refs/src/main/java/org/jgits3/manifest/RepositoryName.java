// SPDX-License-Identifier: Apache-2.0
package org.jgits3.manifest;

/**
 * The checked name of a repository, without {@code .git}.
 *
 * @param value name as people write it, segments separated by {@code /}
 */
public record RepositoryName(String value) {
  /**
   * Checks a name.
   *
   * @param name name as given by a user or a URL; one trailing {@code .git} is removed
   * @return the name
   * @throws IllegalArgumentException with one line that says what is wrong with it
   */
  public static RepositoryName of(String name) {
    throw new UnsupportedOperationException(name);
  }

  /**
   * Key of the manifest this name binds to.
   *
   * @return {@code repos/<encoded name>.git/manifest}
   */
  public String manifestKey() {
    throw new UnsupportedOperationException();
  }

  @Override
  public String toString() {
    return value;
  }
}
