// SPDX-License-Identifier: Apache-2.0
package org.jgits3.maintenance;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import org.jgits3.manifest.RepositoryName;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Queue of repositories that wait for a step of maintenance in the background, or are having one.
 * Holds each once, by name only, so that a waiting repository takes no other memory. Safe for use
 * by many threads.
 */
final class Backlog {
  private static final Logger LOG = LoggerFactory.getLogger(Backlog.class);

  private final Executor background;
  private final Set<RepositoryName> names = ConcurrentHashMap.newKeySet();

  Backlog(Executor background) {
    this.background = background;
  }

  /**
   * Schedules a step, unless one of the repository is waiting or under way. Quick, and never
   * throws.
   *
   * @param name the repository
   * @param step the step; must not throw
   * @return true if it will run; false also while there is no thread for it
   */
  boolean add(RepositoryName name, Consumer<RepositoryName> step) {
    if (!names.add(name)) {
      return false;
    }
    try {
      background.execute(() -> step.accept(name));
      return true;
    } catch (RejectedExecutionException | OutOfMemoryError e) { // or no thread can be had
      names.remove(name);
      LOG.debug("{} is not maintained while there is no thread for it", name, e);
      return false;
    }
  }

  /** Ends the step of a repository. */
  void done(RepositoryName name) {
    names.remove(name);
  }

  /** Number of repositories that wait or are under way. */
  int size() {
    return names.size();
  }
}
