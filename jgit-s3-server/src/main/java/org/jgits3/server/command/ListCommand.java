// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.command;

import java.io.IOException;
import java.util.SortedSet;
import java.util.concurrent.Callable;
import org.jgits3.S3RepositoryManager;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.ParentCommand;

/** Lists the repositories of the store. */
@Command(name = "list", description = "List the repositories, sorted by name.")
final class ListCommand implements Callable<Integer> {
  @ParentCommand private JgitS3 program;
  @Mixin private Output output;

  @Override
  public Integer call() throws IOException {
    try (S3RepositoryManager manager = program.openToRead()) {
      SortedSet<String> names = manager.list();
      if (output.json()) {
        output.value(names);
      } else {
        names.forEach(output::line);
      }
    }
    return 0;
  }
}
