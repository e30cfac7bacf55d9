// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.program;

import java.io.IOException;
import java.util.Optional;
import org.eclipse.jgit.errors.RepositoryNotFoundException;
import org.jgits3.S3RepositoryManager;
import org.jgits3.fleet.FleetPass;
import org.jgits3.internal.function.IoSupplier;
import org.jgits3.maintenance.UpToDate;
import org.jgits3.manifest.ManifestException;
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

  /**
   * Repository to work on.
   *
   * @param id its id; empty if it was chosen by its name
   * @param name its name; empty if it was deleted, or an import is making it
   */
  public record Target(Optional<String> id, Optional<String> name) {
    @Override
    public String toString() {
      return name.orElseGet(() -> "repository " + id.orElseThrow());
    }
  }

  /** Work on one repository. */
  @FunctionalInterface
  public interface Work {
    /**
     * Does the work; returns the state in which nothing is left to do for some time, empty if the
     * next pass has to return the repository again.
     */
    Optional<UpToDate> on(Target target) throws IOException;
  }

  /** Work on one repository with a name. */
  @FunctionalInterface
  public interface NamedWork {
    /** Does the work, as {@link Work#on}. */
    Optional<UpToDate> on(String name) throws IOException;
  }

  /**
   * Works on repositories with a name, one after the other. If all were chosen, continues after a
   * failure, unless the process was told to stop, and skips a repository that was deleted
   * meanwhile.
   *
   * @param manager has the repositories
   * @param passes begins the pass over all
   * @param output prints failures
   * @param work work to do
   * @throws IOException if any failed
   */
  public void forEachNamed(
      S3RepositoryManager manager, IoSupplier<FleetPass> passes, Output output, NamedWork work)
      throws IOException {
    forEach(manager, passes, output, named(work));
  }

  /**
   * Works on repositories, those without a name included.
   *
   * @param manager has the repositories
   * @param passes begins the pass over all
   * @param output prints failures
   * @param work work to do
   * @throws IOException as {@link #forEachNamed}
   */
  public void forEach(
      S3RepositoryManager manager, IoSupplier<FleetPass> passes, Output output, Work work)
      throws IOException {
    if (!choice.all) {
      work.on(new Target(Optional.empty(), Optional.of(choice.name.value())));
      return;
    }
    all(manager, passes, output, work);
  }

  /**
   * Works on all repositories of a pass that have a name, and saves what was done.
   *
   * @param manager has the repositories
   * @param passes begins the pass
   * @param output prints failures
   * @param work work to do
   * @throws IOException if any failed
   */
  public static void allNamed(
      S3RepositoryManager manager, IoSupplier<FleetPass> passes, Output output, NamedWork work)
      throws IOException {
    all(manager, passes, output, named(work));
  }

  private static Work named(NamedWork work) {
    return target -> target.name().isPresent() ? work.on(target.name().get()) : Optional.empty();
  }

  private static void all(
      S3RepositoryManager manager, IoSupplier<FleetPass> passes, Output output, Work work)
      throws IOException {
    try (FleetPass pass = passes.get()) {
      int failed = 0;
      for (var id = pass.next(); id.isPresent(); id = pass.next()) {
        failed += isDone(manager, pass, id.get(), output, work) ? 0 : 1;
      }
      pass.save();
      if (failed > 0) {
        throw new IOException(failed + " of " + pass.given() + " repositories failed");
      }
    }
  }

  private static boolean isDone(
      S3RepositoryManager manager, FleetPass pass, String id, Output output, Work work)
      throws IOException {
    Target target = new Target(Optional.of(id), Optional.empty());
    try {
      target = new Target(target.id(), manager.nameOf(id));
      pass.done(id, work.on(target));
    } catch (RepositoryNotFoundException | ManifestException.Gone e) {
      return isGone(manager, target, output);
    } catch (ProgressBar.Stopped e) {
      throw e;
    } catch (IOException | RuntimeException e) { // as JGit throws for objects it cannot take
      output.line(target + ": failed: " + (e instanceof IOException ? e.getMessage() : e));
      return false;
    }
    return true;
  }

  /** Tests whether a repository was deleted, renamed or published since it was given its name. */
  private static boolean isGone(S3RepositoryManager manager, Target target, Output output)
      throws IOException {
    boolean gone = target.name().isEmpty() || !manager.nameOf(id(target)).equals(target.name());
    if (!gone) {
      output.line(
          target
              + ": failed: the name does not lead to the repository "
              + id(target)
              + " that says it; see verify --names");
    }
    return gone;
  }

  private static String id(Target target) {
    return target.id().orElseThrow();
  }
}
