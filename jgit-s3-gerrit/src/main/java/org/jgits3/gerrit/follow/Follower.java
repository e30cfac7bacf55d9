// SPDX-License-Identifier: Apache-2.0
package org.jgits3.gerrit.follow;

import com.google.common.flogger.FluentLogger;
import com.google.common.util.concurrent.ThreadFactoryBuilder;
import com.google.gerrit.entities.Change;
import com.google.gerrit.entities.Project;
import com.google.gerrit.extensions.events.LifecycleListener;
import com.google.gerrit.server.config.AllProjectsName;
import com.google.gerrit.server.config.AllUsersName;
import com.google.inject.Inject;
import com.google.inject.Singleton;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
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
import java.util.stream.Stream;
import org.jgits3.gerrit.index.DurableIndexes;
import org.jgits3.gerrit.index.Effect;
import org.jgits3.gerrit.index.IndexedHere;
import org.jgits3.gerrit.index.LocalState;
import org.jgits3.gerrit.index.News;
import org.jgits3.gerrit.repository.ProjectNames;
import org.jgits3.gerrit.repository.S3GitRepositoryManager;
import org.jgits3.gerrit.shared.SharedEvents;
import org.jgits3.history.HistoryUnavailableException;
import org.jgits3.history.RepositoryChange;
import org.jgits3.history.StoreChanges;
import org.jgits3.history.StoreCursor;

/**
 * Follows the changes that all Gerrits make to the projects in the store, and keeps the indexes and
 * caches of this node up to date.
 *
 * <p>The position is saved when all that was indexed up to it is durable. A node that was down
 * resumes from there. If a node has no position, or cannot read the log of a project, it compares
 * projects with the indexes.
 */
@Singleton
public class Follower implements LifecycleListener {
  private static final FluentLogger LOG = FluentLogger.forEnclosingClass();

  /** Time from the start of a round to the start of the next one. */
  private static final Duration EVERY = Duration.ofSeconds(1);

  /** Least pause between two rounds, for requests of users. */
  private static final Duration PAUSE = Duration.ofMillis(100);

  /**
   * Minimum number of threads. They mostly wait, for the store, and for Lucene to make written
   * documents visible, which it does for all threads at once.
   */
  static final int THREADS = 8;

  /**
   * Interval in which indexes are made durable. After a crash, the changes of two intervals or more
   * are followed again.
   */
  private static final Duration SAVE_EVERY = Duration.ofSeconds(10);

  /**
   * Maximum number of projects in a round, not counting failing ones: later changes wait for its
   * end.
   */
  static final int PROJECTS = 200;

  private final S3GitRepositoryManager repositories;
  private final LocalState local;
  private final IndexedHere indexedHere;
  private final OnlineReindexes reindexes;
  private final SharedEvents events;
  private final DurableIndexes indexes;
  private final CursorFile file;
  private final AllUsersName allUsers;
  private final List<Project.NameKey> first;
  private final FollowerStatus status;
  private final CountDownLatch stopping = new CountDownLatch(1);
  private final ExecutorService threads =
      Executors.newFixedThreadPool(
          Math.max(THREADS, Runtime.getRuntime().availableProcessors() / 2),
          new ThreadFactoryBuilder().setNameFormat("s3-follower-%d").setDaemon(true).build());
  private final Thread thread = new Thread(this::run, "s3-follower");

  // The following fields are used by the thread only:

  /**
   * Position up to which everything was applied, except what the fields below hold; null before it
   * is known.
   */
  private StoreCursor followed;

  /** Projects to compare with the indexes: all if there was no position. */
  private final Set<Project.NameKey> compared = new LinkedHashSet<>();

  /** Projects that changed while an index is made anew, to be compared in the end. */
  private final Set<Project.NameKey> reindexed = new LinkedHashSet<>();

  private final WaitingChanges waiting = new WaitingChanges();

  /** Projects that could not be followed when it was last tried. */
  private final Set<Project.NameKey> failing = new HashSet<>();

  private boolean unusable;

  private final OwnEffects own = new OwnEffects();

  /** Position to be saved next; null if there is none before the present one. */
  private StoreCursor settled;

  /** {@link System#nanoTime} at which {@link #settled} was taken. */
  private long settledAt;

  /** Calls of {@link #save} after which the present position is saved. */
  private int toBeSaved;

  private long savedAt = System.nanoTime();

  @Inject
  Follower(
      S3GitRepositoryManager repositories,
      LocalState local,
      IndexedHere indexedHere,
      OnlineReindexes reindexes,
      SharedEvents events,
      DurableIndexes indexes,
      CursorFile file,
      AllProjectsName allProjects,
      AllUsersName allUsers,
      FollowerStatus status) {
    this.repositories = repositories;
    this.local = local;
    this.indexedHere = indexedHere;
    this.reindexes = reindexes;
    this.events = events;
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
      long pause = 0;
      while (!stopping.await(pause, TimeUnit.NANOSECONDS)) {
        long next = System.nanoTime() + EVERY.toNanos();
        pause = next() ? 0 : Math.max(PAUSE.toNanos(), next - System.nanoTime());
      }
      save();
      save(); // no request is running any more
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
      shareEvents(); // first, so that the round follows the changes they announce
      boolean more = round();
      events.post();
      if (System.nanoTime() - savedAt > SAVE_EVERY.toNanos()) {
        save();
      }
      return more;
    } catch (HistoryUnavailableException e) {
      LOG.atWarning().log("Following: %s is of no use: %s", file, e.getMessage());
      unusable = true;
      followed = null;
      settled = null;
      return true;
    } catch (IOException | RuntimeException | Error e) {
      status.failed(e); // following goes on, whatever failed
      return false;
    }
  }

  /**
   * Resumes from the saved position. If there is none, compares all projects and follows from now
   * on.
   */
  private void begin() throws IOException {
    Optional<StoreCursor> saved = unusable ? Optional.empty() : file.load();
    if (saved.isEmpty()) {
      StoreCursor now = repositories.history().now();
      now.forEach((name, position) -> compare(Project.nameKey(name))); // others come as news
      compared.addAll(local.indexedProjects());
      LOG.atInfo().log(
          "Following: no position in %s, so all %s projects are compared with the indexes",
          file, compared.size());
      followed = now;
      toBeSaved = 2;
    } else {
      followed = saved.get();
      settle();
    }
  }

  private void compare(Project.NameKey project) {
    if (ProjectNames.repository(project).isPresent()) {
      compared.add(project);
    }
  }

  private void settle() {
    settled = followed;
    settledAt = System.nanoTime();
  }

  private boolean round() throws IOException, InterruptedException {
    long began = System.nanoTime();
    boolean late = status.isLate();
    StoreChanges changes = repositories.history().since(followed);
    Map<Project.NameKey, News> news = new LinkedHashMap<>();
    List<Project.NameKey> comparing =
        waiting.hasUntried() ? List.of() : compared.stream().limit(PROJECTS).toList();
    comparing.forEach(project -> news(news, project).addEverything());
    List<RepositoryChange> read = read(changes, news);
    long known = System.nanoTime();
    noteReindexed(news.keySet());
    news.forEach((project, its) -> its.own().forEach(effect -> own.add(project, effect, known)));
    List<OwnEffects.Own> due = own.due(System.nanoTime());
    due.forEach(its -> news(news, its.project()).add(its.effect()));
    Map<Effect, Project.NameKey> again = indexedHere.takeAgain();
    again.forEach((document, project) -> news(news, project).add(document));
    Round round = new Round(repositories, local, threads, known);
    Set<Project.NameKey> failed = apply(round, news, again);
    leave(read, failed);
    due.stream().filter(its -> !failed.contains(its.project())).forEach(own::remove);
    again.values().retainAll(failed);
    again.forEach(indexedHere::again);
    compared.removeAll(comparing);
    comparing.stream().filter(failed::contains).forEach(compared::add);
    failing.removeAll(news.keySet());
    followWaitingChanges(round);
    failing.addAll(failed);
    followed = changes.end();
    toBeSaved = news.isEmpty() ? toBeSaved : 2;
    boolean compares = !failing.containsAll(compared);
    // A node in time stays so while it compares projects, which may have many changes.
    boolean missing = late && (compares || waiting.hasUntried());
    boolean complete = !changes.hasMore() && !missing && Collections.disjoint(failing, first);
    status.ended(began, news.values(), failing, complete);
    return changes.hasMore() || compares || waiting.hasUntried();
  }

  /** Reads changes in the store, whose news are added. */
  private List<RepositoryChange> read(StoreChanges changes, Map<Project.NameKey, News> news)
      throws IOException {
    List<RepositoryChange> read = new ArrayList<>();
    int others = 0; // not failing; failing ones do not use up the limit
    while (others < PROJECTS) {
      Optional<RepositoryChange> next = changes.next();
      if (next.isEmpty()) {
        break;
      }
      read.add(next.get());
      others += failing.contains(Project.nameKey(next.get().name())) ? 0 : 1;
      add(next.get(), news);
    }
    return read;
  }

  /** Leaves the changes of projects that failed for the next round. */
  private static void leave(List<RepositoryChange> read, Set<Project.NameKey> failed) {
    for (RepositoryChange change : read) {
      if (Stream.concat(Stream.of(change.name()), change.formerName().stream())
          .map(Project::nameKey)
          .anyMatch(failed::contains)) {
        change.leave();
      }
    }
  }

  /** Applies news. Documents to be followed again are noted as before if that ends in between. */
  private Set<Project.NameKey> apply(
      Round round, Map<Project.NameKey, News> news, Map<Effect, Project.NameKey> again)
      throws InterruptedException {
    try {
      return round.apply(first, news, waiting);
    } catch (RuntimeException | Error e) {
      again.forEach(indexedHere::again);
      throw e;
    }
  }

  private void followWaitingChanges(Round round) throws InterruptedException {
    Map<Project.NameKey, Collection<Change.Id>> some = waiting.take();
    Map<Project.NameKey, Collection<Change.Id>> failed = some;
    try {
      failed = round.followChanges(some);
    } finally {
      failed.forEach(waiting::putBack);
    }
    failing.removeAll(some.keySet());
    failing.addAll(waiting.failing());
  }

  /**
   * Notes projects whose news are about to be applied. An index that is being made may get older
   * documents of them later. News that are not read yet will be applied after these.
   */
  private void noteReindexed(Set<Project.NameKey> changed) {
    if (reindexes.areRunning()) {
      reindexed.addAll(changed);
    } else {
      compared.addAll(reindexed);
      reindexed.clear();
    }
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

  private void shareEvents() {
    try {
      events.exchange();
    } catch (IOException | RuntimeException e) {
      LOG.atWarning().atMostEvery(1, TimeUnit.MINUTES).log(
          "Following: events are not shared now: %s", e.getMessage());
    }
  }

  /**
   * Saves the position as of the previous call. In the meantime, a request of this Gerrit may have
   * replaced a document with one of an earlier state; such documents are followed again, from a
   * list in memory. Neither this list nor the effects of this node that wait are durable, so the
   * position is saved only when none of them waits.
   */
  private void save() throws IOException {
    if (toBeSaved > 0 && nothingWaits()) {
      savedAt = System.nanoTime();
      indexes.commit();
      if (settled != null) {
        file.save(settled);
      }
      settle();
      toBeSaved--;
    }
  }

  /** Tests whether everything that the position to be saved next covers is applied. */
  private boolean nothingWaits() {
    return compared.isEmpty()
        && waiting.projects().isEmpty()
        && reindexed.isEmpty()
        && indexedHere.isEmpty()
        && (settled == null || !own.anyKnownAt(settledAt));
  }
}
