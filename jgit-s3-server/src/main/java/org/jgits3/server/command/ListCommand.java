// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.command;

import java.io.IOException;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.jgits3.S3RepositoryManager;
import org.jgits3.server.program.StoreCommand;
import org.jgits3.server.terminal.Output;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Lists the repositories of the store. */
@Command(
    name = "list",
    sortOptions = false,
    description =
        "List the repositories, in no particular order unless --after or --limit is given.")
final class ListCommand extends StoreCommand {
  @Option(
      names = "--prefix",
      paramLabel = "TEXT",
      defaultValue = "",
      description = "Only names that begin with this; a group, such as 'team/', is listed alone.")
  private String prefix;

  @Option(
      names = "--after",
      paramLabel = "NAME",
      defaultValue = "",
      description = "Only names that sort after this one, such as the last of the page before.")
  private String after;

  @Option(names = "--limit", paramLabel = "N", description = "At most so many names.")
  private int limit = Integer.MAX_VALUE;

  @Override
  public Integer call() throws IOException {
    if (limit < 1) {
      throw usage("--limit " + limit + ": must be 1 or more");
    }
    try (S3RepositoryManager manager = program.openToRead();
        Output.Elements names = output.elements()) {
      if (limit == Integer.MAX_VALUE && after.isEmpty()) {
        forEach(manager, names::add);
      } else {
        page(manager).forEach(names::add);
      }
    }
    return 0;
  }

  private void forEach(S3RepositoryManager manager, Consumer<String> each) throws IOException {
    try {
      manager.forEachName(prefix, each);
    } catch (IllegalArgumentException e) {
      throw usage("--prefix: " + e.getMessage());
    }
  }

  /** The first names after one, in their order. */
  private SortedSet<String> page(S3RepositoryManager manager) throws IOException {
    TreeSet<String> names = new TreeSet<>();
    forEach(
        manager,
        name -> {
          if (name.compareTo(after) > 0) {
            names.add(name);
          }
          if (names.size() > limit) {
            names.pollLast();
          }
        });
    return names;
  }
}
