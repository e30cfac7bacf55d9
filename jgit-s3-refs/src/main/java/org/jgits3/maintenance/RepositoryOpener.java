// SPDX-License-Identifier: Apache-2.0
package org.jgits3.maintenance;

import java.io.IOException;
import org.eclipse.jgit.errors.RepositoryNotFoundException;
import org.jgits3.manifest.RepositoryName;

/** Opens repositories for background maintenance. */
@FunctionalInterface
public interface RepositoryOpener {
  /**
   * Opens the maintenance of a repository, with a manifest in memory.
   *
   * @param name its name
   * @return its maintenance
   * @throws RepositoryNotFoundException if there is none any more
   * @throws IOException if its manifest cannot be read
   */
  Maintenance open(RepositoryName name) throws IOException;
}
