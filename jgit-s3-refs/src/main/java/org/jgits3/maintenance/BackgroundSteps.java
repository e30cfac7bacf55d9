// SPDX-License-Identifier: Apache-2.0
package org.jgits3.maintenance;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.eclipse.jgit.errors.RepositoryNotFoundException;
import org.jgits3.internal.concurrent.DaemonThreads;
import org.jgits3.manifest.ManifestException;
import org.jgits3.manifest.RepositoryName;
import org.jgits3.manifest.UnknownOutcomeException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Steps of one kind of maintenance in the background, one at a time for each repository. A
 * repository whose step failed is left alone for a while, longer after each failure in a row. Safe
 * for use by many threads.
 *
 * <p>Only the name of a waiting repository is kept in memory; it is opened when its turn comes.
 */
abstract class BackgroundSteps {
  private static final Logger LOG = LoggerFactory.getLogger(BackgroundSteps.class);

  private final String what;
  private final Host host;
  private final MaintenancePauses pauses;
  private final Set<RepositoryName> names = ConcurrentHashMap.newKeySet();
  private final AtomicLong failures = new AtomicLong();

  /**
   * The process that maintains its repositories.
   *
   * @param threads run the steps
   * @param ending returns true if background work is being stopped, so that no failure counts
   * @param repositories opens a repository when its turn comes
   * @param clock tells the time
   */
  record Host(
      Executor threads,
      BooleanSupplier ending,
      RepositoryOpener repositories,
      Supplier<Instant> clock) {}

  /**
   * Creates a scheduler without scheduled steps.
   *
   * @param what what a step does to a repository, for messages
   * @param host the process
   * @param pauses pauses after failures
   */
  BackgroundSteps(String what, Host host, MaintenancePauses pauses) {
    this.what = what;
    this.host = host;
    this.pauses = pauses;
  }

  /**
   * Maintains one repository for a while.
   *
   * @param name the repository
   * @param repository its maintenance
   * @return true to schedule another step
   * @throws IOException if it failed
   */
  abstract boolean step(RepositoryName name, Maintenance repository) throws IOException;

  /**
   * Schedules a step, unless the repository is paused, or has a step waiting or under way. Quick,
   * without a request, and never throws.
   */
  final void add(RepositoryName name) {
    if (pauses.isPaused(name, now()) || !names.add(name)) {
      return;
    }
    if (!DaemonThreads.offer(host.threads(), () -> run(name))) {
      names.remove(name);
      LOG.debug("{} is not {} while there is no thread for it", name, what);
    }
  }

  /** Pauses a repository for some time. Its failures still count. */
  final void pause(RepositoryName name, Duration time) {
    pauses.pause(name, now(), time);
  }

  /** Removes the pause of a repository and its failures. */
  final void succeeded(RepositoryName name) {
    pauses.clear(name);
  }

  /** Number of repositories with a step waiting or under way. */
  final int waiting() {
    return names.size();
  }

  /** Number of steps that have failed. */
  final long failures() {
    return failures.get();
  }

  /** Current time in milliseconds since the epoch. */
  final long now() {
    return host.clock().get().toEpochMilli();
  }

  private void run(RepositoryName name) {
    boolean again = false;
    try {
      again = step(name, host.repositories().open(name));
    } catch (RepositoryNotFoundException | ManifestException.Gone e) {
      succeeded(name);
      LOG.debug("{} is not {}, since it is gone", name, what, e);
    } catch (UnknownOutcomeException e) {
      countFailure(name);
      LOG.warn("it is not known whether a repository was {}: {}", what, e.getMessage());
    } catch (IOException | RuntimeException | Error e) { // memory may suffice the next time
      failed(name, e);
    } finally {
      names.remove(name);
    }
    if (again) {
      add(name);
    }
  }

  private void countFailure(RepositoryName name) {
    pauses.failed(name, now());
    failures.incrementAndGet();
  }

  private void failed(RepositoryName name, Throwable e) {
    if (host.ending().getAsBoolean()) {
      LOG.debug("{} was not {}, since background work is being stopped", name, what, e);
      return;
    }
    countFailure(name);
    if (e instanceof IOException) {
      LOG.info("{} was not {}, a later try follows: {}", name, what, e.getMessage());
    } else {
      LOG.error("{} was not {}, a later try follows", name, what, e);
    }
  }
}
