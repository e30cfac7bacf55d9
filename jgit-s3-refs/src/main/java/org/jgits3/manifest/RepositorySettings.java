// SPDX-License-Identifier: Apache-2.0
package org.jgits3.manifest;

/**
 * Data of a Git repository beside objects and refs.
 *
 * @param config the repository's Git configuration as text
 * @param description one line for people; empty for none
 */
public record RepositorySettings(String config, String description) {
  /** Empty settings. */
  public static final RepositorySettings NONE = new RepositorySettings("", "");
}
