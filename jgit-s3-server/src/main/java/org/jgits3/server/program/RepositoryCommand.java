// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.program;

import java.util.concurrent.Callable;
import org.jgits3.manifest.RepositoryName;
import org.jgits3.server.terminal.Output;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;

/** Command on one repository, which its first parameter names. */
public abstract class RepositoryCommand implements Callable<Integer> {
  /** The program, whose options choose the store. */
  @ParentCommand protected Program program;

  /** Output of the command. */
  @Mixin protected Output output;

  /** Name of the repository. */
  @Parameters(index = "0", paramLabel = "NAME", description = "The repository.")
  protected RepositoryName name;
}
