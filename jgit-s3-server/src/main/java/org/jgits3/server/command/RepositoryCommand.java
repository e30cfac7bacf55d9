// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.command;

import java.util.concurrent.Callable;
import org.jgits3.manifest.RepositoryName;
import org.jgits3.server.terminal.Output;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;

/** Command on one repository, which its first parameter names. */
abstract class RepositoryCommand implements Callable<Integer> {
  @ParentCommand JgitS3 program;
  @Mixin Output output;

  @Parameters(index = "0", paramLabel = "NAME", description = "The repository.")
  RepositoryName name;
}
