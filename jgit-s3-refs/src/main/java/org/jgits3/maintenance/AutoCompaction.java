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
 * enough small ones, one step at a time, while no other process does. Safe for use by many threads.
 *
 * <p>A repository that has something to be merged waits by its name, and is opened when it is its
 * turn.
 */
public final class AutoCompaction {
  private static final Logger LOG = LoggerFactory.getLogger(AutoCompaction.class);

  /**
   * Steps, each of another repository, at a time: one that stalls must not keep the rest waiting.
   */
  public static final int THREADS = 2;

  /** A pack that cannot be read stays; after so many failures one push in 1024 tries again. */
  private static final int MOST_FAILURES = 10;

  /** Repositories whose failures are remembered, the last ones to fail for the first time. */
  private static final int REMEMBERED = 10_000;

  private final Repositories repositories;
  private final Backlog backlog;

  /** Repositories whose last step failed, and that have something to be merged; guarded by it. */
  private final Map<RepositoryName, Failing> failing =
      new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<RepositoryName, Failing> eldest) {
          return size() > REMEMBERED;
        }
      };

  /**
   * How a repository fails.
   *
   * @param failures in a row, at most {@value #MOST_FAILURES}
   * @param passed calls of {@link #consider} since a step was scheduled
   */
  private record Failing(int failures, int passed) {}

  /**
   * Compacts nothing yet.
   *
   * @param background runs the steps
   * @param repositories opens a repository when it is its turn
   */
  public AutoCompaction(Executor background, Repositories repositories) {
    this.repositories = repositories;
    this.backlog = new Backlog(background);
  }

  /**
   * Schedules a step if there is something to do. While steps fail, each failure halves how often
   * one is tried, until one merges packs or another process has. Quick, and never throws.
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
   * Repositories that wait for a step, or are having one.
   *
   * @return how many
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
