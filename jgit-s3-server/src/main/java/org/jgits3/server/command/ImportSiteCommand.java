// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.command;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import org.eclipse.jgit.lib.Constants;
import org.eclipse.jgit.lib.RepositoryCache.FileKey;
import org.eclipse.jgit.util.FS;
import org.jgits3.S3RepositoryManager;
import org.jgits3.manifest.RepositoryName;
import org.jgits3.server.terminal.Output;
import org.jgits3.server.terminal.Progress;
import org.jgits3.server.terminal.ProgressBar;
import org.jgits3.server.terminal.Quantity;
import org.jgits3.transfer.ImportSource;
import org.jgits3.transfer.Importer;
import org.jgits3.transfer.Mirror;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;

/** Imports all repositories below a directory. */
@Command(
    name = "import-site",
    description = {
      "Make a repository of each one below a directory, such as git/ of a Gerrit.",
      "Repeated, it goes on with those that are missing; --update copies what has changed."
    })
final class ImportSiteCommand implements Callable<Integer> {
  @ParentCommand private JgitS3 program;
  @Mixin private Output output;
  @Spec private CommandSpec spec;

  @Parameters(index = "0", paramLabel = "DIR", description = "Directory of all repositories.")
  private Path directory;

  @Option(
      names = "--update",
      description = "Give repositories that exist the refs of the directory, and no others.")
  private boolean update;

  @Option(names = "--dry-run", description = "Say what would be done, and do nothing.")
  private boolean dryRun;

  /** Result as {@code --json} prints it. */
  private record Report(boolean ok, String source, Map<String, Outcome> repositories) {}

  /** Outcome for one repository. */
  private enum Outcome {
    IMPORTED,
    UPDATED,
    EQUAL,
    FAILED
  }

  @Override
  public Integer call() throws IOException {
    SortedMap<String, Path> found = repositories();
    SortedMap<String, Outcome> outcomes = new TreeMap<>();
    try (ProgressBar progress = Progress.of(spec.commandLine(), output);
        S3RepositoryManager manager =
            dryRun
                ? program.openToRead(progress.traffic())
                : program.open(program.settings(), progress.traffic())) {
      program.end().giveUpAtSignal(manager, progress);
      Set<String> existing = manager.list();
      for (Map.Entry<String, Path> each : found.entrySet()) {
        outcomes.put(each.getKey(), one(manager, progress, existing, each));
      }
    }
    return print(outcomes);
  }

  private SortedMap<String, Path> repositories() throws IOException {
    SortedMap<String, Path> found = new TreeMap<>();
    Files.walkFileTree(
        directory,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult preVisitDirectory(Path path, BasicFileAttributes attributes) {
            if (!FileKey.isGitRepository(path.toFile(), FS.DETECTED)) {
              return FileVisitResult.CONTINUE;
            }
            String name = directory.relativize(path).toString();
            found.put(name.replaceFirst("\\" + Constants.DOT_GIT_EXT + "$", ""), path);
            return FileVisitResult.SKIP_SUBTREE;
          }
        });
    if (found.isEmpty()) {
      throw new IOException(directory + ": no repository is below it; name the git/ of a site");
    }
    return found;
  }

  private Outcome one(
      S3RepositoryManager manager,
      ProgressBar progress,
      Set<String> existing,
      Map.Entry<String, Path> each)
      throws IOException {
    try {
      RepositoryName name = RepositoryName.of(each.getKey());
      Outcome outcome =
          existing.contains(name.value())
              ? update(new Mirror(manager, progress), name, each.getValue())
              : make(manager, progress, name, each.getValue());
      say(each.getKey() + ": " + outcome.name().toLowerCase(Locale.ROOT));
      return outcome;
    } catch (ProgressBar.Stopped e) {
      throw e;
    } catch (IOException | IllegalArgumentException e) {
      say(each.getKey() + ": failed: " + e.getMessage());
      return Outcome.FAILED;
    }
  }

  private Outcome make(
      S3RepositoryManager manager, ProgressBar progress, RepositoryName name, Path path)
      throws IOException {
    if (!dryRun) {
      try (ImportSource source = ImportSource.open(path.toString())) {
        new Importer(manager, progress).run(source, name);
      }
    }
    return Outcome.IMPORTED;
  }

  private Outcome update(Mirror mirror, RepositoryName name, Path path) throws IOException {
    if (mirror.isEqual(path, name)) {
      return Outcome.EQUAL;
    }
    if (!update) {
      throw new IOException("has other refs than " + path + "; --update gives it those");
    }
    if (!dryRun) {
      mirror.update(path, name);
    }
    return Outcome.UPDATED;
  }

  private void say(String line) {
    if (!output.json()) {
      output.line(line);
    }
  }

  private int print(SortedMap<String, Outcome> outcomes) {
    boolean ok = !outcomes.containsValue(Outcome.FAILED);
    if (output.json()) {
      output.value(new Report(ok, directory.toString(), outcomes));
    } else {
      StringBuilder summary = new StringBuilder(dryRun ? "Nothing was done: " : "");
      summary.append(Quantity.of(outcomes.size(), "project"));
      for (Outcome outcome : Outcome.values()) {
        long count = outcomes.values().stream().filter(outcome::equals).count();
        summary.append(", ").append(count).append(' ');
        summary.append(outcome.name().toLowerCase(Locale.ROOT));
      }
      output.line(summary.toString());
    }
    return ok ? 0 : 1;
  }
}
