// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.command;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.eclipse.jgit.annotations.Nullable;
import org.jgits3.S3Settings;
import org.jgits3.Stores;
import org.jgits3.internal.store.probe.Check;
import org.jgits3.internal.store.probe.ProbeReport;
import org.jgits3.internal.store.probe.StoreProbe;
import org.jgits3.server.program.StoreCommand;
import org.jgits3.server.terminal.ProgressBar;
import org.jgits3.server.terminal.Quantity;
import org.jgits3.store.MultipartUpload;
import org.jgits3.store.ObjectStore;
import org.jgits3.store.ProbedService.Dialect;
import org.jgits3.store.StoreOptions;
import picocli.CommandLine.Command;

/** Tests with real requests whether repositories are safe in the store. */
@Command(
    name = "doctor",
    description = "Check whether the store honours what repositories rely on, races included.")
final class DoctorCommand extends StoreCommand {
  private static final Duration PATIENCE = Duration.ofSeconds(5);

  /** Result as {@code --json} prints it. */
  private record Diagnosis(
      boolean ok,
      String store,
      @Nullable Dialect dialect,
      List<Check> checks,
      List<String> unfinishedUploads) {}

  @Override
  public Integer call() throws IOException {
    S3Settings settings = program.settings();
    try (ObjectStore store = Stores.open(settings.location(), impatient(settings.options()))) {
      ProbeReport report = probe(store);
      Dialect dialect = store.probedService().isPresent() ? report.dialect() : null;
      print(report, dialect, report.ok() ? unfinishedUploads(store) : List.of());
      report.orRefuse();
    }
    settings.cacheDirectory().ifPresent(this::checkCache);
    program.checkSpillDirectory(settings);
    return 0;
  }

  private ProbeReport probe(ObjectStore store) throws IOException {
    try (ProgressBar progress = progress()) {
      return StoreProbe.full(store, progress::draw);
    }
  }

  /** Options with which a store that fails is given up soon, because its user looks on. */
  private static StoreOptions impatient(StoreOptions options) {
    Duration deadline = options.requestDeadline();
    return new StoreOptions(
        options.endpoint(),
        options.region(),
        options.pathStyle(),
        options.connections(),
        deadline.compareTo(PATIENCE) < 0 ? deadline : PATIENCE);
  }

  /** Checks that the directory can be made or written, and changes nothing. */
  private void checkCache(Path directory) {
    Path existing = directory.toAbsolutePath();
    while (!Files.exists(existing)) {
      existing = existing.getParent();
    }
    if (!Files.isDirectory(existing) || !Files.isWritable(existing)) {
      throw usage(
          "[s3 \"cache\"] directory "
              + directory
              + ": cannot be used, since "
              + existing
              + (Files.isDirectory(existing)
                  ? " cannot be written by this user; create the directory for the user of the server"
                  : " is no directory"));
    }
  }

  private static List<String> unfinishedUploads(ObjectStore store) throws IOException {
    return store.listMultipart("").stream().map(MultipartUpload::key).sorted().toList();
  }

  /** Prints the result; no dialect for a store that is no service of S3. */
  private void print(ProbeReport report, @Nullable Dialect dialect, List<String> uploads) {
    output.value(new Diagnosis(report.ok(), report.location(), dialect, report.checks(), uploads));
    output.line(report.location());
    for (Check check : report.checks()) {
      output.line(String.format("%-7s %-28s %s", verdict(check), check.name(), check.detail()));
      if (!check.ok()) {
        output.line(" ".repeat(37) + check.remedy());
      }
    }
    if (report.ok() && dialect != null) {
      output.line("If-Match of a PUT: " + ifMatch(dialect) + "; checksum: " + checksum(dialect));
    }
    output.line(Quantity.of(uploads.size(), "unfinished upload"));
    uploads.forEach(key -> output.line("        " + key));
  }

  private static String ifMatch(Dialect dialect) {
    return switch (dialect.ifMatch()) {
      case QUOTED -> "the ETag in quotes";
      case BARE -> "the ETag without quotes";
    };
  }

  private static String checksum(Dialect dialect) {
    return switch (dialect.checksum()) {
      case CRC32C -> "x-amz-checksum-crc32c";
      case MD5 -> "Content-MD5";
    };
  }

  private static String verdict(Check check) {
    if (check.ok()) {
      return "ok";
    }
    return check.required() ? "FAILED" : "missing";
  }
}
