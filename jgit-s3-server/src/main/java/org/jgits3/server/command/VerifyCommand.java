// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.command;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jgits3.S3RepositoryManager;
import org.jgits3.fleet.Fleet;
import org.jgits3.manifest.RepositoryName;
import org.jgits3.server.program.Selection;
import org.jgits3.server.program.StoreCommand;
import org.jgits3.server.terminal.Quantity;
import org.jgits3.verify.NameCheck;
import org.jgits3.verify.Verification;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Checks every byte of a repository, or that no two names of the store contradict each other. */
@Command(
    name = "verify",
    description =
        "Check that every stored object is there, whole and unchanged, then run fsck over them."
            + " With --all, do so for one repository after the other."
            + " With --names, check that each repository is found by the name that it says.")
final class VerifyCommand extends StoreCommand {
  @ArgGroup(exclusive = true, multiplicity = "1")
  private Subject subject;

  /** Options given by the user. */
  private static final class Subject {
    @Parameters(paramLabel = "NAME", description = "The repository.")
    private RepositoryName name;

    @Option(names = "--all", description = "All repositories.")
    private boolean all;

    @Option(
        names = "--names",
        description =
            "Read all manifests and names, and nothing else; after a restore of the store.")
    private boolean names;
  }

  @Option(
      names = "--repair",
      description =
          "With --names, make the name of a repository lead to it, unless two repositories say it.")
  private boolean repair;

  @Option(
      names = "--changed",
      description =
          "With --all, only repositories that changed since a pass with this option found them"
              + " sound.")
  private boolean changed;

  /** Check of all names as {@code --json} prints it. */
  private record Names(boolean ok, List<NameCheck.Finding> findings) {}

  /** Result as {@code --json} prints it. */
  private record Report(
      boolean ok,
      String name,
      long generation,
      int objects,
      long bytes,
      boolean fsck,
      List<Verification.Finding> findings) {
    static Report of(String name, Verification.Report r) {
      return new Report(
          r.findings().isEmpty(),
          name,
          r.generation(),
          r.objects(),
          r.bytes(),
          r.fsck(),
          r.findings());
    }
  }

  @Override
  public Integer call() throws IOException {
    if (changed && !subject.all) {
      throw usage("--changed: goes with --all");
    }
    if (repair && !subject.names) {
      throw usage("--repair: goes with --names");
    }
    boolean writes = repair || subject.all; // what a pass has done is noted in the store
    try (S3RepositoryManager manager = writes ? program.open() : program.openToRead()) {
      if (subject.names) {
        names(manager);
      } else if (subject.all) {
        all(manager);
      } else {
        repository(manager, subject.name);
      }
    }
    return 0;
  }

  private void names(S3RepositoryManager manager) throws IOException {
    List<NameCheck.Finding> found = new NameCheck(manager.store()).run(repair);
    long wrong = found.stream().filter(f -> !f.repaired()).count();
    output.value(new Names(wrong == 0, found));
    if (found.isEmpty()) {
      output.line("each repository is found by its name");
    }
    found.forEach(
        f -> output.line(f.key() + ": " + f.problem() + (f.repaired() ? "; repaired" : "")));
    check("names", (int) wrong);
  }

  private void repository(S3RepositoryManager manager, RepositoryName name) throws IOException {
    Verification.Report report = verify(manager, name.value());
    output.value(Report.of(name.value(), report));
    check(name.value(), report.findings().size());
  }

  private void all(S3RepositoryManager manager) throws IOException {
    List<Report> reports = new ArrayList<>();
    try {
      Selection.allNamed(
          manager,
          () -> new Fleet(manager).verificationPass(!changed),
          output,
          name -> {
            Verification.Report report = verify(manager, name);
            reports.add(Report.of(name, report));
            check(name, report.findings().size());
            return report.upToDate().filter(upToDate -> changed);
          });
    } finally {
      output.value(reports);
    }
  }

  private Verification.Report verify(S3RepositoryManager manager, String name) throws IOException {
    Verification.Report report = new Verification(manager, progress()).run(name);
    print(name, report);
    return report;
  }

  private static void check(String what, int found) throws IOException {
    if (found > 0) {
      throw new IOException(
          what + ": " + found + (found == 1 ? " thing is" : " things are") + " wrong");
    }
  }

  private void print(String name, Verification.Report report) {
    report.findings().forEach(f -> output.line(f.key() + ": " + f.problem()));
    if (report.findings().isEmpty()) {
      output.line(
          name
              + " is sound: generation "
              + report.generation()
              + ", "
              + Quantity.of(report.objects(), "object")
              + ", "
              + Quantity.of(report.bytes(), "byte"));
    } else if (!report.fsck()) {
      output.line("fsck was left out: it would fail on these");
    }
  }
}
