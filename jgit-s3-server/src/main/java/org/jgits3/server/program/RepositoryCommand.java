// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.program;

import org.jgits3.manifest.RepositoryName;
import picocli.CommandLine.Parameters;

/** Command on one repository, which its first parameter names. */
public abstract class RepositoryCommand extends StoreCommand {
  /** Name of the repository. */
  @Parameters(index = "0", paramLabel = "NAME", description = "Its name, with or without .git.")
  protected RepositoryName name;
}
