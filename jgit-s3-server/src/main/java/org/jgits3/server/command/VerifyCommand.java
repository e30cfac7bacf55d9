// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.command;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import org.jgits3.S3RepositoryManager;
import org.jgits3.maintenance.Verification;
import org.jgits3.manifest.RepositoryName;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;

/** Checks every byte of a repository. */
@Command(
    name = "verify",
    description =
        "Check that every stored object is there, whole and unchanged, then run fsck over them.")
final class VerifyCommand implements Callable<Integer> {
  @ParentCommand private JgitS3 program;
  @Spec private CommandSpec spec;
  @Mixin private Output output;

  @Parameters(paramLabel = "NAME", description = "The repository.")
  private RepositoryName name;

  /** What {@code --json} prints. */
  private record Report(
      boolean ok,
      String name,
      long generation,
      int objects,
      long bytes,
      boolean fsck,
      List<Verification.Finding> findings) {}

  @Override
  public Integer call() throws IOException {
    Verification.Report report;
    try (S3RepositoryManager manager = program.openToRead()) {
      report = manager.maintenance(name.value()).verify(Progress.of(spec.commandLine(), output));
    }
    print(report);
    int found = report.findings().size();
    if (found > 0) {
      throw new IOException(
          name + ": " + found + (found == 1 ? " thing is" : " things are") + " wrong");
    }
    return 0;
  }

  private void print(Verification.Report report) {
    if (output.json()) {
      output.value(
          new Report(
              report.findings().isEmpty(),
              name.value(),
              report.generation(),
              report.objects(),
              report.bytes(),
              report.fsck(),
              report.findings()));
      return;
    }
    report.findings().forEach(f -> output.line(f.key() + ": " + f.problem()));
    if (report.findings().isEmpty()) {
      output.line(
          String.format(
              "%s is sound: generation %d, %d objects, %d bytes",
              name, report.generation(), report.objects(), report.bytes()));
    } else if (!report.fsck()) {
      output.line("fsck was left out: it would fail on these");
    }
  }
}
