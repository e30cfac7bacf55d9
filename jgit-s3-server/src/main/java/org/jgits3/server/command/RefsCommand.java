// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.command;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.io.IOException;
import java.util.List;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.Ref;
import org.jgits3.S3Repository;
import org.jgits3.S3RepositoryManager;
import org.jgits3.server.program.RepositoryCommand;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Lists refs, as {@code git show-ref} does. */
@Command(name = "refs", description = "List the refs of a repository, sorted by name.")
final class RefsCommand extends RepositoryCommand {
  @Parameters(
      index = "1",
      arity = "0..1",
      paramLabel = "PREFIX",
      defaultValue = "",
      description = "What the refs begin with, refs/tags/ for instance; default: all refs.")
  private String prefix;

  /** A ref as {@code --json} prints it. */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  private record Row(String name, String objectId, String peeled, String target) {
    static Row of(Ref ref) {
      return new Row(
          ref.getName(),
          ref.getObjectId().name(),
          ref.getPeeledObjectId() == null ? null : ObjectId.toString(ref.getPeeledObjectId()),
          ref.isSymbolic() ? ref.getTarget().getName() : null);
    }
  }

  @Override
  public Integer call() throws IOException {
    try (S3RepositoryManager manager = program.openToRead();
        S3Repository repository = manager.openRepository(name.value())) {
      List<Ref> refs =
          repository.getRefDatabase().getRefsByPrefix(prefix).stream()
              .filter(ref -> ref.getObjectId() != null)
              .toList();
      if (output.json()) {
        output.value(refs.stream().map(Row::of).toList());
      } else {
        refs.forEach(ref -> output.line(ref.getObjectId().name() + " " + ref.getName()));
      }
    }
    return 0;
  }
}
