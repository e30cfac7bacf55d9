// SPDX-License-Identifier: Apache-2.0
package org.jgits3.gerrit.follow;

import com.google.common.collect.Lists;
import com.google.common.flogger.FluentLogger;
import com.google.gerrit.entities.Change;
import com.google.gerrit.entities.Project;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jgits3.gerrit.index.LocalState;
import org.jgits3.gerrit.index.News;
import org.jgits3.gerrit.repository.S3GitRepositoryManager;

/**
 * Applies news of projects to the indexes and caches of this node, by several threads. Projects
 * that others depend on come first; everything else of a project comes before its changes. Each
 * change is handled once. A round ends when everything is done, so that rounds never overlap and
 * apply news in order.
 */
final class Round {
  private static final FluentLogger LOG = FluentLogger.forEnclosingClass();

  /** Number of changes that one thread brings up to date in one request of Gerrit. */
  private static final int CHUNK = 20;

  private final S3GitRepositoryManager repositories;
  private final LocalState local;
  private final ExecutorService threads;
  private final long told;

  /**
   * Creates a round.
   *
   * @param told reading of {@link System#nanoTime} after the news was read from the store; for
   *     changes, all tasks share the refs that were read since then
   */
  Round(S3GitRepositoryManager repositories, LocalState local, ExecutorService threads, long told) {
    this.repositories = repositories;
    this.local = local;
    this.threads = threads;
    this.told = told;
  }

  /** Work of a thread for a project. */
  private record Task(Project.NameKey project, Future<?> end) {}

  /** Changes of a project that a thread follows. */
  private record Chunk(Task task, List<Change.Id> changes) {}

  /**
   * Applies news.
   *
   * @param first projects that others depend on, in their order
   * @param news news of each project
   * @param waiting receives the changes of projects that have too many, or are compared as a whole
   * @return projects for which something failed, to be applied again
   */
  Set<Project.NameKey> apply(
      List<Project.NameKey> first, Map<Project.NameKey, News> news, WaitingChanges waiting)
      throws InterruptedException {
    Map<Project.NameKey, Collection<Change.Id>> changes = new LinkedHashMap<>();
    Map<Project.NameKey, News> rest = new LinkedHashMap<>(news);
    Set<Project.NameKey> failed = new HashSet<>();
    for (Project.NameKey project : first) {
      News its = rest.remove(project);
      if (its != null) {
        failed.addAll(follow(Map.of(project, its), changes));
      }
    }
    failed.addAll(follow(rest, changes));
    news.forEach(
        (project, its) -> {
          if (its.whole() && !failed.contains(project)) {
            waiting.remove(project); // it has other changes, or is gone
          }
          if (its.whole() || changes.get(project).size() > WaitingChanges.MOST) {
            waiting.add(project, changes.remove(project));
          }
        });
    failed.addAll(followChanges(changes).keySet());
    return failed;
  }

  /**
   * Brings changes up to date.
   *
   * @param changes changes of each project
   * @return those among which some failed
   */
  Map<Project.NameKey, Collection<Change.Id>> followChanges(
      Map<Project.NameKey, Collection<Change.Id>> changes) throws InterruptedException {
    List<Chunk> chunks = new ArrayList<>();
    changes.forEach(
        (project, ids) -> {
          for (List<Change.Id> chunk : Lists.partition(List.copyOf(ids), CHUNK)) {
            Task task = start(project, () -> followChanges(project, chunk));
            chunks.add(new Chunk(task, chunk));
          }
        });
    Map<Project.NameKey, Collection<Change.Id>> failed = new LinkedHashMap<>();
    for (Chunk chunk : chunks) {
      if (failed(chunk.task)) {
        failed.computeIfAbsent(chunk.task.project, p -> new ArrayList<>()).addAll(chunk.changes);
      }
    }
    return failed;
  }

  private Void followChanges(Project.NameKey project, List<Change.Id> ids) throws Exception {
    return repositories.since(
        told,
        () -> {
          local.followChanges(project, ids);
          return null;
        });
  }

  /** Applies news apart from changes, which it adds. Returns the projects for which it failed. */
  private Set<Project.NameKey> follow(
      Map<Project.NameKey, News> news, Map<Project.NameKey, Collection<Change.Id>> changes)
      throws InterruptedException {
    List<Task> tasks = new ArrayList<>();
    news.forEach(
        (project, its) -> {
          Set<Change.Id> found = new LinkedHashSet<>();
          changes.put(project, found);
          tasks.add(start(project, () -> follow(project, its, found)));
        });
    Set<Project.NameKey> failed = new HashSet<>();
    for (Task task : tasks) {
      if (failed(task)) {
        failed.add(task.project);
      }
    }
    return failed;
  }

  private Void follow(Project.NameKey project, News its, Set<Change.Id> found) throws IOException {
    local.follow(project, its, found);
    return null;
  }

  private Task start(Project.NameKey project, Callable<Void> work) {
    return new Task(project, threads.submit(work));
  }

  /** Waits for the end of a task, and tells whether it failed. */
  private static boolean failed(Task task) throws InterruptedException {
    try {
      task.end.get();
      return false;
    } catch (ExecutionException e) {
      LOG.atWarning().atMostEvery(10, TimeUnit.SECONDS).withCause(e.getCause()).log(
          "Following: %s is tried again", task.project);
      return true;
    }
  }
}
