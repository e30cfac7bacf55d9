// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.fork;

import java.io.IOException;
import org.jgits3.S3RepositoryManager;
import org.jgits3.manifest.RepositoryName;
import org.jgits3.server.program.StoreCommand;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Creates a fork of a template. */
@Command(
    name = "fork",
    description = "Create a repository with the refs and objects of a template, in one write.")
public final class ForkCommand extends StoreCommand {
  @Parameters(index = "0", paramLabel = "TEMPLATE", description = "Name of the template.")
  private RepositoryName template;

  @Parameters(index = "1", paramLabel = "NAME", description = "The name the fork gets.")
  private RepositoryName name;

  /** Result as {@code --json} prints it. */
  private record Forked(boolean ok, String template, String name) {}

  @Override
  public Integer call() throws IOException {
    try (S3RepositoryManager manager = program.open()) {
      manager.fork(template.value(), name.value()).close();
    }
    output.result(
        new Forked(true, template.value(), name.value()), "Forked " + name + " from " + template);
    return 0;
  }
}
