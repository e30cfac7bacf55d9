// SPDX-License-Identifier: Apache-2.0
package org.jgits3.maintenance;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executor;
import org.eclipse.jgit.errors.RepositoryNotFoundException;
import org.jgits3.manifest.Manifest;
import org.jgits3.manifest.ManifestException;
import org.jgits3.manifest.RepositoryName;
import org.jgits3.manifest.UnknownOutcomeException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Compacts the packs of the repositories of a process in the background when pushes have left
 * enough small ones, one step at a time, while no other process maintains the repository. Safe for
 * use by many threads.
 *
 * <p>Only the name of a waiting repository is kept in memory; it is opened when its turn comes.
 */
public final class BackgroundCompaction {
  private static final Logger LOG = LoggerFactory.getLogger(BackgroundCompaction.class);

  /** Steps at a time, each of another repository: one that stalls must not block the others. */
  public static final int THREADS = 2;

  /** Failures in a row that are counted; after so many, one push in 1024 tries again. */
  private static final int MOST_FAILURES = 10;

  /**
   * Maximum number of repositories whose failures are remembered; those that failed first are
   * dropped.
   */
  private static final int REMEMBERED = 10_000;

  private final RepositoryOpener repositories;
  private final Backlog backlog;

  /** Repositories whose last step failed and that have packs to merge; guarded by itself. */
  private final Map<RepositoryName, Failing> failing =
      new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<RepositoryName, Failing> eldest) {
          return size() > REMEMBERED;
        }
      };

  /**
   * Failures of a repository.
   *
   * @param failures failures in a row, at most {@value #MOST_FAILURES}
   * @param passed calls of {@link #consider} since a step was scheduled
   */
  private record Failing(int failures, int passed) {}

  /**
   * Creates a scheduler for the repositories of a process.
   *
   * @param background runs the steps
   * @param repositories opens a repository when its turn comes
   */
  public BackgroundCompaction(Executor background, RepositoryOpener repositories) {
    this.repositories = repositories;
    this.backlog = new Backlog(background);
  }

  /**
   * Schedules a step if there is something to do. Each failure in a row halves the frequency of
   * steps, until a step or another process merges packs. Quick, and never throws.
   *
   * @param name name of a repository
   * @param newest its newest manifest
   */
  public void consider(RepositoryName name, Manifest newest) {
    if (PackCompaction.due(newest.packs()).isEmpty()) {
      succeeded(name);
    } else if (isTurn(name) && backlog.add(name, this::step)) {
      scheduled(name);
    }
  }

  /**
   * Number of repositories that wait for a step, or are having one.
   *
   * @return the number
   */
  public int waiting() {
    return backlog.size();
  }

  private boolean isTurn(RepositoryName name) {
    synchronized (failing) {
      Failing now = failing.computeIfPresent(name, (n, f) -> new Failing(f.failures, f.passed + 1));
      return now == null || now.passed >= 1 << now.failures;
    }
  }

  private void scheduled(RepositoryName name) {
    synchronized (failing) {
      failing.computeIfPresent(name, (n, f) -> new Failing(f.failures, 0));
    }
  }

  private void succeeded(RepositoryName name) {
    synchronized (failing) {
      failing.remove(name);
    }
  }

  private void failed(RepositoryName name) {
    synchronized (failing) {
      failing.merge(
          name,
          new Failing(1, 0),
          (f, one) -> new Failing(Math.min(MOST_FAILURES, f.failures + 1), f.passed));
    }
  }

  private void step(RepositoryName name) {
    Optional<Manifest> left = Optional.empty();
    try {
      Maintenance maintenance = repositories.open(name);
      if (maintenance.compactIfFree()) {
        succeeded(name);
        left = maintenance.newest();
      } // otherwise another process is at it, and may fail on the same pack
    } catch (RepositoryNotFoundException | ManifestException.Gone e) {
      succeeded(name);
      LOG.debug("packs of {} are not compacted, since it is gone", name, e);
    } catch (UnknownOutcomeException e) {
      LOG.warn("it is not known whether packs were compacted: {}", e.getMessage());
    } catch (IOException e) {
      failed(name);
      LOG.info("packs were not compacted, a later push tries again: {}", e.getMessage());
    } catch (RuntimeException | Error e) { // memory may be had when the next one is tried
      failed(name);
      LOG.error("packs were not compacted, a later push tries again", e);
    } finally {
      backlog.done(name);
    }
    left.ifPresent(newest -> consider(name, newest));
  }
}
