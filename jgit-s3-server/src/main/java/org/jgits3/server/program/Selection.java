// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.program;

import java.io.IOException;
import java.util.Optional;
import org.eclipse.jgit.errors.RepositoryNotFoundException;
import org.jgits3.internal.function.IoSupplier;
import org.jgits3.maintenance.FleetPass;
import org.jgits3.maintenance.Settled;
import org.jgits3.manifest.RepositoryName;
import org.jgits3.server.terminal.Output;
import org.jgits3.server.terminal.ProgressBar;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Repositories that a command works on: one, or all. */
public final class Selection {
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
  public interface Work {
    /**
     * Does the work; returns the state in which nothing is left to do for some time, empty if the
     * next pass has to return the repository again.
     */
    Optional<Settled> on(String name) throws IOException;
  }

  /**
   * Works on repositories one after the other. If all were chosen, continues after a failure,
   * unless the process was told to stop, and skips a repository that was deleted meanwhile.
   *
   * @param passes begins the pass over all
   * @param output prints failures
   * @param work work to do
   * @throws IOException if any failed
   */
  public void forEach(IoSupplier<FleetPass> passes, Output output, Work work) throws IOException {
    if (!choice.all) {
      work.on(choice.name.value());
      return;
    }
    all(passes, output, work);
  }

  /**
   * Works on all repositories of a pass, and saves what was done.
   *
   * @param passes begins the pass
   * @param output prints failures
   * @param work work to do
   * @throws IOException if any failed
   */
  public static void all(IoSupplier<FleetPass> passes, Output output, Work work)
      throws IOException {
    try (FleetPass pass = passes.get()) {
      int failed = 0;
      for (var name = pass.next(); name.isPresent(); name = pass.next()) {
        failed += isDone(pass, name.get(), output, work) ? 0 : 1;
      }
      pass.save();
      if (pass.given() < pass.names()) {
        output.line((pass.names() - pass.given()) + " unchanged since the last pass");
      }
      if (failed > 0) {
        throw new IOException(failed + " of " + pass.given() + " repositories failed");
      }
    }
  }

  private static boolean isDone(FleetPass pass, String name, Output output, Work work)
      throws IOException {
    try {
      pass.done(name, work.on(name));
    } catch (RepositoryNotFoundException e) {
      return true; // deleted meanwhile
    } catch (ProgressBar.Stopped e) {
      throw e;
    } catch (IOException | RuntimeException e) { // as JGit throws for objects it cannot take
      output.line(name + ": failed: " + (e instanceof IOException ? e.getMessage() : e));
      return false;
    }
    return true;
  }
}
