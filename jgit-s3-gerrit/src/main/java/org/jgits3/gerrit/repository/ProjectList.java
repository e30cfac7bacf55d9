// SPDX-License-Identifier: Apache-2.0
package org.jgits3.gerrit.repository;

import com.google.common.collect.ImmutableSortedSet;
import com.google.gerrit.entities.Project;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.jgits3.S3RepositoryManager;
import org.jgits3.internal.concurrent.SharedRequest;

/**
 * Names of all projects, listed once for each request at most. Requests that wait for a listing
 * share the next one, or its failure. Safe for use by many threads.
 */
final class ProjectList {
  private final Supplier<S3RepositoryManager> repositories;
  private final Requests requests;
  private final SharedRequest<Listed> listing = new SharedRequest<>("projects", this::list);

  /** Number of times that this process has changed the set of projects. */
  private final AtomicLong changes = new AtomicLong();

  private volatile Listed last = new Listed(ImmutableSortedSet.of(), 0, -1);

  /**
   * Result of a listing.
   *
   * @param names names of the projects
   * @param began its start, a reading of {@link System#nanoTime}
   * @param changes changes by this process until then
   */
  private record Listed(ImmutableSortedSet<Project.NameKey> names, long began, long changes) {}

  ProjectList(Supplier<S3RepositoryManager> repositories, Requests requests) {
    this.repositories = repositories;
    this.requests = requests;
  }

  /**
   * Returns all projects, as of the beginning of the calling request or later.
   *
   * @return their names
   * @throws UncheckedIOException if the store does not answer: Gerrit would keep an empty answer,
   *     and delete what it has indexed
   */
  ImmutableSortedSet<Project.NameKey> get() {
    long moment = requests.moment();
    Listed known = last;
    if (known.changes() == changes.get() && known.began() - moment >= 0) {
      return known.names();
    }
    try {
      return listing.get().names();
    } catch (IOException e) {
      throw new UncheckedIOException("The projects cannot be listed: " + e.getMessage(), e);
    }
  }

  /** Notes that this process has changed the set of projects. */
  void changed() {
    changes.incrementAndGet();
  }

  private Listed list() throws IOException {
    long changed = changes.get();
    long began = System.nanoTime();
    Set<Project.NameKey> found = new HashSet<>();
    for (String name : repositories.get().list()) {
      Project.NameKey project = Project.nameKey(name);
      if (ProjectNames.repository(project).isPresent()) {
        found.add(project);
      }
    }
    last = new Listed(ImmutableSortedSet.copyOf(found), began, changed);
    return last;
  }
}
