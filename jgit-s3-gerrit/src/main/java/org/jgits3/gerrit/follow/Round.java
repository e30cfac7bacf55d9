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
import java.util.List;
import java.util.Map;
import java.util.Optional;
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
  private final Set<Project.NameKey> failed = new HashSet<>();

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

  /** Work of a thread, and its project. */
  private record Task<T>(Project.NameKey project, Future<T> result) {}

  /**
   * Applies news.
   *
   * @param first projects that others depend on, in their order
   * @param news news of each project
   * @return projects for which something failed, to be applied again
   */
  Set<Project.NameKey> apply(List<Project.NameKey> first, Map<Project.NameKey, News> news)
      throws InterruptedException {
    Map<Project.NameKey, Collection<Change.Id>> changes = new LinkedHashMap<>();
    Map<Project.NameKey, News> rest = new LinkedHashMap<>(news);
    for (Project.NameKey project : first) {
      News its = rest.remove(project);
      if (its != null) {
        follow(Map.of(project, its), changes);
      }
    }
    follow(rest, changes);
    List<Task<Void>> tasks = new ArrayList<>();
    changes.forEach(
        (project, ids) -> {
          for (List<Change.Id> chunk : Lists.partition(List.copyOf(ids), CHUNK)) {
            Callable<Void> task = () -> followChanges(project, chunk);
            tasks.add(new Task<>(project, threads.submit(() -> repositories.since(told, task))));
          }
        });
    for (Task<Void> task : tasks) {
      result(task);
    }
    return failed;
  }

  private Void followChanges(Project.NameKey project, List<Change.Id> ids) throws IOException {
    local.followChanges(project, ids);
    return null;
  }

  private void follow(
      Map<Project.NameKey, News> news, Map<Project.NameKey, Collection<Change.Id>> changes)
      throws InterruptedException {
    List<Task<Set<Change.Id>>> tasks = new ArrayList<>();
    news.forEach(
        (project, its) ->
            tasks.add(new Task<>(project, threads.submit(() -> local.follow(project, its)))));
    for (Task<Set<Change.Id>> task : tasks) {
      result(task).ifPresent(found -> changes.put(task.project, found));
    }
  }

  /** The result of a task; empty if it failed, or has none. */
  private <T> Optional<T> result(Task<T> task) throws InterruptedException {
    try {
      return Optional.ofNullable(task.result.get());
    } catch (ExecutionException e) {
      failed.add(task.project);
      LOG.atWarning().atMostEvery(10, TimeUnit.SECONDS).withCause(e.getCause()).log(
          "Following: %s is tried again", task.project);
      return Optional.empty();
    }
  }
}
