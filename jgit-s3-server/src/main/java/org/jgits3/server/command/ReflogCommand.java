// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.command;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.eclipse.jgit.lib.Constants;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.ObjectIdRef;
import org.eclipse.jgit.lib.Ref;
import org.eclipse.jgit.lib.ReflogEntry;
import org.jgits3.S3Repository;
import org.jgits3.S3RepositoryManager;
import org.jgits3.server.program.RepositoryCommand;
import org.jgits3.server.terminal.LogLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Shows the reflog of a ref, as {@code git reflog} does, and of a deleted ref, too. */
@Command(
    name = "reflog",
    description = {
      "Show what a ref pointed to, newest first, back to its creation.",
      "The reflog of a deleted ref begins with the deletion."
    })
final class ReflogCommand extends RepositoryCommand {
  private static final int ABBREVIATED = 10;

  @Parameters(
      index = "1",
      paramLabel = "REF",
      description = "The ref: HEAD, refs/heads/main, or main.")
  private String ref;

  /** An entry as {@code --json} prints it. */
  private record Row(
      String ref,
      int index,
      String oldId,
      String newId,
      String time,
      String name,
      String email,
      String message) {
    static Row of(String ref, int index, ReflogEntry e) {
      return new Row(
          ref,
          index,
          e.getOldId().name(),
          e.getNewId().name(),
          LogLine.time(e.getWho()),
          e.getWho().getName(),
          e.getWho().getEmailAddress(),
          e.getComment());
    }
  }

  @Override
  public Integer call() throws IOException {
    try (S3RepositoryManager manager = program.openToRead();
        S3Repository repository = manager.openRepository(name.value())) {
      Ref found = repository.findRef(ref);
      if (found != null) {
        print(found.getName(), entries(repository, found));
      } else {
        printDeleted(repository);
      }
    }
    return 0;
  }

  private static List<ReflogEntry> entries(S3Repository repository, Ref of) throws IOException {
    return repository.getRefDatabase().getReflogReader(of).getReverseEntries();
  }

  /** Prints the reflog of a ref that does not exist, if it was deleted. */
  private void printDeleted(S3Repository repository) throws IOException {
    for (String full : List.of(ref, Constants.R_TAGS + ref, Constants.R_HEADS + ref)) {
      List<ReflogEntry> entries =
          entries(repository, new ObjectIdRef.Unpeeled(Ref.Storage.NEW, full, null));
      if (!entries.isEmpty()) {
        print(full, entries);
        return;
      }
    }
    throw new IOException("no ref " + ref + " in " + name + "; see jgit-s3 refs " + name);
  }

  private void print(String of, List<ReflogEntry> entries) {
    List<Row> rows = new ArrayList<>();
    for (int i = 0; i < entries.size(); i++) {
      rows.add(Row.of(of, i, entries.get(i)));
    }
    output.value(rows);
    for (Row row : rows) {
      String id = row.newId().substring(0, ABBREVIATED);
      String how = row.newId().equals(ObjectId.zeroId().name()) ? " (deleted)" : "";
      output.line(
          id + " " + of + "@{" + row.index() + "} " + row.name() + ": " + row.message() + how);
    }
  }
}
