// SPDX-License-Identifier: Apache-2.0
package org.jgits3.gerrit;

import com.google.common.flogger.FluentLogger;
import com.google.common.util.concurrent.ThreadFactoryBuilder;
import com.google.gerrit.entities.Project;
import com.google.gerrit.extensions.events.LifecycleListener;
import com.google.gerrit.server.config.AllProjectsName;
import com.google.gerrit.server.config.AllUsersName;
import com.google.inject.Inject;
import com.google.inject.Singleton;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.jgits3.history.HistoryUnavailableException;
import org.jgits3.history.RepositoryChange;
import org.jgits3.history.StoreChanges;
import org.jgits3.history.StoreCursor;

/**
 * Follows what all Gerrits do to the projects in the store, and keeps the indexes and caches of
 * this one right.
 *
 * <p>The position is saved when all that was made of it is durable. A node that was away goes on
 * from there. One that has no position, or cannot read the log of a project, compares projects with
 * the indexes.
 */
@Singleton
class Follower implements LifecycleListener {
  private static final FluentLogger LOG = FluentLogger.forEnclosingClass();

  /** Pause between two rounds. */
  private static final Duration PAUSE = Duration.ofSeconds(1);

  /** Interval in which indexes are made durable, and so the most that is followed twice. */
  private static final Duration SAVE_EVERY = Duration.ofSeconds(10);

  private final S3GitRepositoryManager repositories;
  private final LocalState local;
  private final IndexedHere indexedHere;
  private final DurableIndexes indexes;
  private final CursorFile file;
  private final AllUsersName allUsers;
  private final List<Project.NameKey> first;
  private final FollowerStatus status;
  private final CountDownLatch stopping = new CountDownLatch(1);
  private final ExecutorService threads =
      Executors.newFixedThreadPool(
          Runtime.getRuntime().availableProcessors() / 2 + 1,
          new ThreadFactoryBuilder().setNameFormat("s3-follower-%d").setDaemon(true).build());
  private final Thread thread = new Thread(this::run, "s3-follower");

  // The following are of the thread alone:

  /** Position up to which everything was applied, but for the next; null before it is known. */
  private StoreCursor followed;

  /** Projects to compare with the indexes, because there was no position. */
  private final Set<Project.NameKey> compared = new LinkedHashSet<>();

  private boolean unusable;
  private boolean unsaved;
  private long savedAt = System.nanoTime();

  @Inject
  Follower(
      S3GitRepositoryManager repositories,
      LocalState local,
      IndexedHere indexedHere,
      DurableIndexes indexes,
      CursorFile file,
      AllProjectsName allProjects,
      AllUsersName allUsers,
      FollowerStatus status) {
    this.repositories = repositories;
    this.local = local;
    this.indexedHere = indexedHere;
    this.indexes = indexes;
    this.file = file;
    this.allUsers = allUsers;
    this.first = List.of(allProjects, allUsers);
    this.status = status;
  }

  @Override
  public void start() {
    thread.setDaemon(true);
    thread.start();
  }

  /** Ends following and saves the position, while the indexes are open. */
  @Override
  public void stop() {
    stopping.countDown();
    try {
      thread.join(SAVE_EVERY.toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    threads.shutdownNow();
  }

  private void run() {
    try {
      boolean more = true;
      while (!stopping.await(more ? 0 : PAUSE.toMillis(), TimeUnit.MILLISECONDS)) {
        more = next();
      }
      save();
    } catch (InterruptedException | IOException e) {
      LOG.atWarning().withCause(e).log("Following: the last position was not saved");
    }
  }

  /** Does one round. Returns true if the next one needs no pause. */
  private boolean next() throws InterruptedException {
    try {
      if (followed == null) {
        begin();
      }
      boolean more = round();
      if (System.nanoTime() - savedAt > SAVE_EVERY.toNanos()) {
        save();
      }
      return more;
    } catch (HistoryUnavailableException e) {
      LOG.atWarning().log("Following: %s is of no use: %s", file, e.getMessage());
      unusable = true;
      followed = null;
      return true;
    } catch (IOException | RuntimeException e) {
      status.failed(e);
      return false;
    }
  }

  /**
   * Takes up the saved position. If there is none, all projects are compared from the present on.
   */
  private void begin() throws IOException {
    Optional<StoreCursor> saved = unusable ? Optional.empty() : file.load();
    if (saved.isEmpty()) {
      StoreCursor now = repositories.history().now();
      compared.addAll(repositories.list());
      LOG.atInfo().log(
          "Following: no position in %s, so all %s projects are compared with the indexes",
          file, compared.size());
      followed = now;
      unsaved = true;
    } else {
      followed = saved.get();
    }
  }

  private boolean round() throws IOException, InterruptedException {
    long began = System.nanoTime();
    StoreChanges changes = repositories.history().since(followed);
    Map<Project.NameKey, News> news = new LinkedHashMap<>();
    indexedHere.takeAgain().forEach((id, of) -> news(news, of).add(new Effect.OfChange(id)));
    compared.forEach(project -> news(news, project).addEverything());
    List<RepositoryChange> read = new ArrayList<>();
    for (var next = changes.next(); next.isPresent(); next = changes.next()) {
      read.add(next.get());
      add(next.get(), news);
    }
    Set<Project.NameKey> failed = new Round(local, threads).apply(first, news);
    for (RepositoryChange change : read) {
      if (failed.contains(Project.nameKey(change.name()))) {
        change.leave();
      }
    }
    compared.retainAll(failed);
    followed = changes.end();
    unsaved |= !news.isEmpty();
    status.ended(began, news.values(), failed, changes.hasMore());
    return changes.hasMore();
  }

  private void add(RepositoryChange change, Map<Project.NameKey, News> news) {
    change.formerName().ifPresent(name -> news(news, Project.nameKey(name)).addEverything());
    Project.NameKey project = Project.nameKey(change.name());
    if (ProjectNames.repository(project).isPresent()) {
      news(news, project).add(change, project.equals(allUsers));
    }
  }

  private static News news(Map<Project.NameKey, News> news, Project.NameKey project) {
    return news.computeIfAbsent(project, p -> new News());
  }

  /** Saves the position, unless projects are still to be compared. */
  private void save() throws IOException {
    if (!unsaved || followed == null || !compared.isEmpty()) {
      return;
    }
    indexes.commit();
    file.save(followed);
    unsaved = false;
    savedAt = System.nanoTime();
  }
}
