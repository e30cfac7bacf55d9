// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.command;

import java.io.IOException;
import java.util.List;
import org.jgits3.S3RepositoryManager;
import org.jgits3.manifest.RepositoryName;
import org.jgits3.server.program.StoreCommand;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Renames a repository. */
@Command(name = "rename", sortOptions = false, description = "Rename a repository.")
final class RenameCommand extends StoreCommand {
  @Parameters(
      arity = "1..2",
      paramLabel = "NAME",
      description = "Its name, unless --id tells which it is, and the name it gets.")
  private List<RepositoryName> names;

  @Option(
      names = "--id",
      description = "The repository of this id, such as verify --names or a failed import tells.")
  private String id = "";

  /** Result as {@code --json} prints it. */
  private record Renamed(boolean ok, String from, String to) {}

  @Override
  public Integer call() throws IOException {
    int expected = id.isEmpty() ? 2 : 1;
    if (names.size() != expected) {
      throw usage(
          id.isEmpty() ? "two names are needed: OLD and NEW" : "--id: goes with one name, the new");
    }
    String from = id.isEmpty() ? names.get(0).value() : "repository " + checkedId(id);
    String to = names.get(expected - 1).value();
    try (S3RepositoryManager manager = program.open()) {
      if (id.isEmpty()) {
        manager.rename(from, to);
      } else {
        manager.renameById(id, to);
      }
    }
    output.result(new Renamed(true, from, to), "Renamed " + from + " to " + to);
    return 0;
  }
}
