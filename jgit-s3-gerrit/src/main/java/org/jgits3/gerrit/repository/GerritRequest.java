// SPDX-License-Identifier: Apache-2.0
package org.jgits3.gerrit.repository;

import com.google.common.util.concurrent.Uninterruptibles;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jgits3.S3Repository;

/** A request that has asked for a project, or names one. Safe for use by many threads. */
public final class GerritRequest {
  /** Time after which a request counts as a new one: {@code stream-events} may run for days. */
  static final Duration LONGEST = Duration.ofSeconds(10);

  private final long moment = System.nanoTime();

  private final ConcurrentMap<String, WeakReference<S3Repository>> handles =
      new ConcurrentHashMap<>();

  /** Validations that were begun with the request, by name of the repository. */
  private final ConcurrentMap<String, Future<?>> begun = new ConcurrentHashMap<>();

  /** Set once something could not be read; shared with the requests that this one becomes. */
  private final AtomicBoolean failed;

  GerritRequest() {
    this(new AtomicBoolean());
  }

  private GerritRequest(AtomicBoolean failed) {
    this.failed = failed;
  }

  /** A moment at which the request was already running: a reading of {@link System#nanoTime}. */
  long moment() {
    return moment;
  }

  /** This request, or another one if it has taken too long. */
  GerritRequest orNext() {
    return System.nanoTime() - moment < LONGEST.toNanos() ? this : new GerritRequest(failed);
  }

  /** Notes that the store did not answer or refused, or that a project in it is damaged. */
  void fail() {
    failed.set(true);
  }

  /** Tests whether something could not be read, other than because it does not exist. */
  public boolean hasFailed() {
    return failed.get();
  }

  /** Notes the validation of a repository that this request will probably open. */
  void begun(String name, Future<?> validation) {
    begun.put(name, validation);
  }

  /**
   * Waits for the validation of a repository, if one was begun. If it failed, opening the
   * repository repeats it.
   */
  void await(String name) {
    Future<?> validation = begun.get(name);
    if (validation != null) {
      try {
        Uninterruptibles.getUninterruptibly(validation);
      } catch (ExecutionException e) {
        begun.remove(name);
      }
    }
  }

  /**
   * Notes a handle that this request has opened. The handle immediately sees what other handles of
   * the request have received and inserted, and its next commit lists that, too.
   */
  void opened(String name, S3Repository handle) {
    handles.compute(
        name,
        (same, before) -> {
          S3Repository other = before == null ? null : before.get();
          if (other != null) {
            handle.getObjectDatabase().deferTogetherWith(other.getObjectDatabase());
          }
          return new WeakReference<>(handle);
        });
  }
}
