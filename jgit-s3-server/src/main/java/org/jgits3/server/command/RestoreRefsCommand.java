// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.command;

import java.io.IOException;
import java.util.List;
import org.jgits3.S3Repository;
import org.jgits3.S3RepositoryManager;
import org.jgits3.history.RefRestoration;
import org.jgits3.manifest.RefChange;
import org.jgits3.server.program.RepositoryCommand;
import org.jgits3.server.terminal.LogLine;
import org.jgits3.server.terminal.Quantity;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Restores the refs to an earlier state. */
@Command(
    name = "restore-refs",
    sortOptions = false,
    description =
        "Show what it takes for all refs to be as they were; with --apply, do it in one transaction.")
final class RestoreRefsCommand extends RepositoryCommand {
  @Option(
      names = "--at",
      required = true,
      paramLabel = "GENERATION",
      description = "The generation to go back to; jgit-s3 log shows them.")
  private long generation;

  @Option(names = "--apply", description = "Change the refs; without it nothing is changed.")
  private boolean apply;

  /** Result as {@code --json} prints it. */
  private record Report(
      boolean ok,
      String name,
      long generation,
      boolean applied,
      List<LogLine.Row> changes,
      List<LogLine.Row> missing) {}

  @Override
  public Integer call() throws IOException {
    try (S3RepositoryManager manager = apply ? program.open() : program.openToRead();
        S3Repository repository = manager.openRepository(name.value())) {
      RefRestoration plan = repository.history().restoration(generation);
      List<RefChange> missing = plan.missing();
      if (apply && missing.isEmpty()) {
        program.end().giveUpAtSignal(manager, progress());
        plan.apply();
      }
      print(plan, missing);
      if (!missing.isEmpty()) {
        throw new IOException(
            missing.size()
                + " of "
                + plan.changes().size()
                + " refs cannot be restored, "
                + missing.get(0).ref()
                + " for one: object "
                + missing.get(0).newId().name()
                + " is gone; nothing was changed");
      }
    }
    return 0;
  }

  private void print(RefRestoration plan, List<RefChange> missing) {
    List<RefChange> changes = plan.changes();
    boolean applied = apply && missing.isEmpty();
    if (output.json()) {
      output.value(
          new Report(
              missing.isEmpty(),
              name.value(),
              generation,
              applied,
              changes.stream().map(LogLine.Row::of).toList(),
              missing.stream().map(LogLine.Row::of).toList()));
      return;
    }
    changes.forEach(c -> output.line(LogLine.of(c)));
    missing.forEach(c -> output.line("missing " + c.newId().name() + " " + c.ref()));
    String refs = Quantity.of(changes.size(), "ref");
    if (applied) {
      output.line("Restored " + refs + " to generation " + generation);
    } else {
      output.line(
          refs
              + " would change; nothing was changed"
              + (missing.isEmpty() ? ", add --apply to do it" : ""));
    }
  }
}
