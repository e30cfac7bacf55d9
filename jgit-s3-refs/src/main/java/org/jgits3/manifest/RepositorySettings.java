// SPDX-License-Identifier: Apache-2.0
package org.jgits3.manifest;

import java.util.Collections;
import java.util.Set;
import java.util.TreeSet;
import org.eclipse.jgit.lib.ObjectId;

/**
 * Data of a Git repository beside objects and refs.
 *
 * @param config the repository's Git configuration as text
 * @param description one line for people; empty for none
 * @param shallow commits whose parents are not stored
 */
public record RepositorySettings(String config, String description, Set<ObjectId> shallow) {
  /** Copies the set. */
  public RepositorySettings {
    shallow = Collections.unmodifiableSet(new TreeSet<>(shallow));
  }

  /** Empty settings. */
  public static final RepositorySettings NONE = new RepositorySettings("", "", Set.of());
}
