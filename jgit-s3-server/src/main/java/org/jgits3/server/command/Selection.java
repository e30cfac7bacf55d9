// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.command;

import java.io.IOException;
import java.util.List;
import org.jgits3.S3RepositoryManager;
import org.jgits3.manifest.RepositoryName;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The repositories that a command works on: one, or all. */
final class Selection {
  @ArgGroup(exclusive = true, multiplicity = "1")
  private Choice choice;

  /** What the user gave. */
  private static final class Choice {
    @Parameters(paramLabel = "NAME", description = "The repository.")
    private RepositoryName name;

    @Option(names = "--all", description = "All repositories, one after the other.")
    private boolean all;
  }

  /** Whether all were chosen. */
  boolean all() {
    return choice.all;
  }

  /** Names of the chosen repositories. */
  List<String> names(S3RepositoryManager manager) throws IOException {
    return choice.all ? List.copyOf(manager.list()) : List.of(choice.name.value());
  }
}
