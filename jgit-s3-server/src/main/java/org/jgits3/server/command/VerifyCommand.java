// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.command;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import org.jgits3.S3RepositoryManager;
import org.jgits3.maintenance.NameIndex;
import org.jgits3.maintenance.Verification;
import org.jgits3.manifest.RepositoryName;
import org.jgits3.server.terminal.Output;
import org.jgits3.server.terminal.Progress;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;

/** Checks every byte of a repository, or that no two names of the store contradict each other. */
@Command(
    name = "verify",
    description =
        "Check that every stored object is there, whole and unchanged, then run fsck over them."
            + " With --names, check that the store has one name for each repository.")
final class VerifyCommand implements Callable<Integer> {
  @ParentCommand private JgitS3 program;
  @Spec private CommandSpec spec;
  @Mixin private Output output;

  @ArgGroup(exclusive = true, multiplicity = "1")
  private Subject subject;

  /** Options given by the user. */
  private static final class Subject {
    @Parameters(paramLabel = "NAME", description = "The repository.")
    private RepositoryName name;

    @Option(
        names = "--names",
        description = "Read all manifests, and nothing else; after a restore of the store.")
    private boolean names;
  }

  /** Check of all names as {@code --json} prints it. */
  private record Names(boolean ok, List<NameIndex.Contradiction> findings) {}

  /** Result as {@code --json} prints it. */
  private record Report(boolean ok, String name, @JsonUnwrapped Verification.Report report) {}

  @Override
  public Integer call() throws IOException {
    try (S3RepositoryManager manager = program.openToRead()) {
      if (subject.names) {
        names(manager);
      } else {
        repository(manager, subject.name);
      }
    }
    return 0;
  }

  private void names(S3RepositoryManager manager) throws IOException {
    List<NameIndex.Contradiction> found = manager.nameIndex().contradictions();
    if (output.json()) {
      output.value(new Names(found.isEmpty(), found));
    } else if (found.isEmpty()) {
      output.line("each repository has one name");
    } else {
      found.forEach(f -> output.line(f.key() + ": " + f.problem()));
    }
    check("names", found.size());
  }

  private void repository(S3RepositoryManager manager, RepositoryName name) throws IOException {
    Verification.Report report =
        manager.maintenance(name.value()).verify(Progress.of(spec.commandLine(), output));
    print(name, report);
    check(name.value(), report.findings().size());
  }

  private static void check(String what, int found) throws IOException {
    if (found > 0) {
      throw new IOException(
          what + ": " + found + (found == 1 ? " thing is" : " things are") + " wrong");
    }
  }

  private void print(RepositoryName name, Verification.Report report) {
    if (output.json()) {
      output.value(new Report(report.findings().isEmpty(), name.value(), report));
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
