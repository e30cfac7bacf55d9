// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.command;

import java.io.IOException;
import java.util.stream.StreamSupport;
import org.jgits3.S3RepositoryManager;
import org.jgits3.server.program.StoreCommand;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Lists the repositories of the store. */
@Command(name = "list", sortOptions = false, description = "List the repositories, sorted by name.")
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
    try (S3RepositoryManager manager = program.openToRead()) {
      Iterable<String> names = first(names(manager));
      if (output.json()) {
        output.value(names);
      } else {
        names.forEach(output::line);
      }
    }
    return 0;
  }

  private Iterable<String> names(S3RepositoryManager manager) throws IOException {
    try {
      return manager.names(prefix, after);
    } catch (IllegalArgumentException e) {
      throw usage("--prefix: " + e.getMessage());
    }
  }

  private Iterable<String> first(Iterable<String> names) {
    return () -> StreamSupport.stream(names.spliterator(), false).limit(limit).iterator();
  }
}
