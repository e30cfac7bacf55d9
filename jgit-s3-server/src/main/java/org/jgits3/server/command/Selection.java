// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.command;

import java.io.IOException;
import java.util.Collection;
import java.util.List;
import org.eclipse.jgit.errors.RepositoryNotFoundException;
import org.jgits3.S3RepositoryManager;
import org.jgits3.manifest.RepositoryName;
import org.jgits3.server.terminal.Output;
import org.jgits3.server.terminal.ProgressBar;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Repositories that a command works on: one, or all. */
final class Selection {
  @ArgGroup(exclusive = true, multiplicity = "1")
  private Choice choice;

  /** Options given by the user. */
  private static final class Choice {
    @Parameters(paramLabel = "NAME", description = "The repository.")
    private RepositoryName name;

    @Option(names = "--all", description = "All repositories, one after the other.")
    private boolean all;
  }

  /** Work on one repository. */
  @FunctionalInterface
  interface Work {
    void on(String name) throws IOException;
  }

  /**
   * Works on repositories one after the other. If all were chosen, continues after a failure,
   * unless the process was told to stop, and skips a repository that was deleted meanwhile.
   *
   * @param names the repositories
   * @param output prints failures
   * @param work work to do
   * @throws IOException if any failed
   */
  void forEach(Collection<String> names, Output output, Work work) throws IOException {
    int failed = 0;
    for (String name : names) {
      try {
        work.on(name);
      } catch (RepositoryNotFoundException e) {
        if (!all()) {
          throw e;
        }
      } catch (ProgressBar.Stopped e) {
        throw e;
      } catch (IOException e) {
        if (!all()) {
          throw e;
        }
        failed++;
        if (!output.json()) {
          output.line(name + ": failed: " + e.getMessage());
        }
      }
    }
    if (failed > 0) {
      throw new IOException(failed + " of " + names.size() + " repositories failed");
    }
  }

  /** Tests whether all were chosen. */
  boolean all() {
    return choice.all;
  }

  /** Names of the chosen repositories. */
  List<String> names(S3RepositoryManager manager) throws IOException {
    return choice.all ? List.copyOf(manager.list()) : List.of(choice.name.value());
  }
}
