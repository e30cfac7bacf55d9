// SPDX-License-Identifier: Apache-2.0
package org.jgits3.gerrit.repository;

import com.google.gerrit.entities.Project;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Collections;
import java.util.NavigableSet;
import java.util.TreeSet;
import java.util.function.Supplier;
import org.jgits3.S3RepositoryManager;

/** Names of all projects, listed once for each request at most. Safe for use by many threads. */
final class ProjectList {
  private final Supplier<S3RepositoryManager> repositories;
  private final Requests requests;

  /** Start of the listing that {@link #names} came from; guarded by this. */
  private long listedAt;

  /** Names found by the last listing, null before the first; guarded by this. */
  private NavigableSet<Project.NameKey> names;

  ProjectList(Supplier<S3RepositoryManager> repositories, Requests requests) {
    this.repositories = repositories;
    this.requests = requests;
  }

  /**
   * Returns all projects, as of the beginning of the calling request or later.
   *
   * @return names, sorted, which cannot be changed
   * @throws UncheckedIOException if the store does not answer: Gerrit would keep an empty answer,
   *     and delete what it has indexed
   */
  synchronized NavigableSet<Project.NameKey> get() {
    long moment = requests.moment();
    if (names == null || listedAt - moment < 0) {
      long now = System.nanoTime();
      names = list();
      listedAt = now;
    }
    return names;
  }

  /** Notes that this process has changed the set of projects. */
  synchronized void changed() {
    names = null;
  }

  private NavigableSet<Project.NameKey> list() {
    NavigableSet<Project.NameKey> found = new TreeSet<>();
    try {
      for (String name : repositories.get().list()) {
        Project.NameKey project = Project.nameKey(name);
        if (ProjectNames.repository(project).isPresent()) {
          found.add(project);
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException("The projects cannot be listed: " + e.getMessage(), e);
    }
    return Collections.unmodifiableNavigableSet(found);
  }
}
