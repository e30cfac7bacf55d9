// SPDX-License-Identifier: Apache-2.0
package org.jgits3.gerrit.repository;

import com.google.common.cache.Cache;
import com.google.common.cache.CacheBuilder;
import com.google.gerrit.entities.Project;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Projects that were looked up and did not exist, so that a request with many look-ups asks the
 * store once: to create a project, Gerrit looks whether the name of the path is one, and then again
 * before it makes the project. For requests only: a task of a request may see what was read before
 * the request, and the project may have been made in between. Safe for use by many threads.
 */
final class AbsentProjects {
  private static final int MOST = 1000;

  private final AtomicLong changes = new AtomicLong();
  private final Cache<Project.NameKey, Search> found =
      CacheBuilder.newBuilder().maximumSize(MOST).build();

  /**
   * A search for a project.
   *
   * @param began its start, a reading of {@link System#nanoTime}
   * @param changes number of projects that this process had made until then
   */
  record Search(long began, long changes) {}

  /** Begins a search. */
  Search search() {
    return new Search(System.nanoTime(), changes.get());
  }

  /** Notes that a search has found no project. */
  void add(Project.NameKey project, Search search) {
    found.put(project, search);
  }

  /**
   * Tests whether a project did not exist at some moment or later, and this process has made none
   * since.
   */
  boolean has(Project.NameKey project, long moment) {
    Search search = found.getIfPresent(project);
    return search != null && search.began() - moment >= 0 && search.changes() == changes.get();
  }

  /** Notes that this process has made a project. */
  void changed() {
    changes.incrementAndGet();
  }
}
