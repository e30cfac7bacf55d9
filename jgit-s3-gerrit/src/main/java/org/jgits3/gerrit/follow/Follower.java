// SPDX-License-Identifier: Apache-2.0
package org.jgits3.gerrit.follow;

import com.google.common.flogger.FluentLogger;
import com.google.common.util.concurrent.Futures;
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
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
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
 * <p>A round reads what happened, evicts what caches have of it, and hands the rest to {@link
 * Indexing}. Rights rest on the caches, so a revoked right is refused after a round, whatever the
 * indexes do. A project that cannot be read is left to the next round, and the others are followed.
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

  /** Number of threads that evict. They mostly wait for the store. */
  static final int THREADS = 8;

  /**
   * Interval in which indexes are made durable. After a crash, the changes of two intervals or more
   * are followed again.
   */
  private static final Duration SAVE_EVERY = Duration.ofSeconds(10);

  /** Longest time that events wait for documents, which may hang. */
  private static final Duration EVENTS_WAIT = Duration.ofSeconds(5);

  /** Maximum number of threads that post events and hang: each may use a processor. */
  static final int HANGING = 8;

  /**
   * Maximum number of projects in a round, not counting failing ones: later changes wait for its
   * end.
   */
  static final int PROJECTS = 200;

  private final S3GitRepositoryManager repositories;
  private final LocalState local;
  private final Indexing indexing;
  private final IndexedHere indexedHere;
  private final OnlineReindexes reindexes;
  private final SharedEvents events;
  private final DurableIndexes indexes;
  private final CursorFile file;
  private final AllUsersName allUsers;
  private final List<Project.NameKey> first;
  private final FollowerStatus status;

  /** Time after which a thread that posts events is waited for no longer; tests have another. */
  Duration postLong = Duration.ofMinutes(1);

  private final CountDownLatch stopping = new CountDownLatch(1);
  private final ExecutorService threads =
      Executors.newFixedThreadPool(
          THREADS,
          new ThreadFactoryBuilder()
              .setNameFormat("s3-follower-evicts-%d")
              .setDaemon(true)
              .build());

  /** Threads that post events, one at a time unless it hangs. */
  private final ExecutorService posters =
      Executors.newCachedThreadPool(
          new ThreadFactoryBuilder()
              .setNameFormat("s3-follower-events-%d")
              .setDaemon(true)
              .build());

  private final Thread thread = new Thread(this::run, "s3-follower");

  // The following fields are used by the thread only:

  /**
   * Position up to which caches were evicted, and documents handed to {@link #indexing}, except
   * what the fields below hold; null before it is known.
   */
  private StoreCursor followed;

  /** Projects that changed while an index is made anew, to be compared in the end. */
  private final Set<Project.NameKey> reindexed = new LinkedHashSet<>();

  /** Projects that could not be read in the last round. */
  private Set<Project.NameKey> failing = Set.of();

  private boolean unusable;

  private final OwnEffects own = new OwnEffects();

  /** Position to be saved next; null if there is none before the present one. */
  private StoreCursor reached;

  /** {@link System#nanoTime} at which {@link #reached} was taken. */
  private long reachedAt;

  /** Calls of {@link #save} after which the present position is saved. */
  private int toBeSaved;

  private long savedAt = System.nanoTime();

  /** Posting that began last, and when: a reading of {@link System#nanoTime}. */
  private Future<?> posting = Futures.immediateVoidFuture();

  /** Postings that are waited for no longer. */
  private final List<Future<?>> hanging = new ArrayList<>();

  private long postedAt = System.nanoTime();

  @Inject
  Follower(
      S3GitRepositoryManager repositories,
      LocalState local,
      Indexing indexing,
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
    this.indexing = indexing;
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
    posters.shutdown(); // an interrupt would close the files of an index
    indexing.stop();
  }

  private void run() {
    try {
      long pause = 0;
      while (!stopping.await(pause, TimeUnit.NANOSECONDS)) {
        long next = System.nanoTime() + EVERY.toNanos();
        pause = next() ? 0 : Math.max(PAUSE.toNanos(), next - System.nanoTime());
      }
      indexing.await(System.nanoTime() + SAVE_EVERY.toNanos() / 2);
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
      postEvents();
      if (System.nanoTime() - savedAt > SAVE_EVERY.toNanos()) {
        save();
      }
      return more;
    } catch (HistoryUnavailableException e) {
      LOG.atWarning().log("Following: %s is of no use: %s", file, e.getMessage());
      unusable = true;
      followed = null;
      reached = null;
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
      Set<Project.NameKey> all = new LinkedHashSet<>(first);
      now.forEach((name, position) -> all.add(Project.nameKey(name))); // others come as news
      all.removeIf(project -> ProjectNames.repository(project).isEmpty());
      all.addAll(local.indexedProjects());
      LOG.atInfo().log(
          "Following: no position in %s, so all %s projects are compared with the indexes",
          file, all.size());
      all.forEach(this::compare);
      followed = now;
      toBeSaved = 2;
    } else {
      followed = saved.get();
      reach();
    }
  }

  private void compare(Project.NameKey project) {
    indexing.add(project, Set.of(new Effect.OfProject()), System.nanoTime());
  }

  private void reach() {
    reached = followed;
    reachedAt = System.nanoTime();
  }

  private boolean round() throws IOException, InterruptedException {
    long began = System.nanoTime();
    boolean late = status.isLate();
    indexing.retry();
    StoreChanges changes = repositories.history().since(followed);
    Map<Project.NameKey, News> news = new LinkedHashMap<>();
    Map<Project.NameKey, Throwable> failed = new LinkedHashMap<>();
    List<RepositoryChange> read = read(changes, news, failed);
    long known = System.nanoTime();
    news.forEach((project, its) -> its.own().forEach(effect -> own.add(project, effect, known)));
    List<OwnEffects.Own> due = own.due(System.nanoTime());
    due.forEach(its -> news(news, its.project()).add(its.effect()));
    noteReindexed(news.keySet());
    evict(news, known, failed);
    leave(read, failed.keySet());
    note(failed);
    due.stream().filter(its -> !failing.contains(its.project())).forEach(own::remove);
    news.keySet().removeAll(failing);
    news.forEach(
        (project, its) ->
            indexing.add(project, its.effects(), known, its.oldest().orElse(Long.MAX_VALUE)));
    Map<Effect, Project.NameKey> again = indexedHere.takeAgain();
    again.forEach((effect, project) -> indexing.add(project, Set.of(effect), known));
    followed = changes.end();
    toBeSaved = news.isEmpty() && again.isEmpty() ? toBeSaved : 2;
    if (!changes.hasMore()) {
      indexing.await(began + EVERY.toNanos());
    }
    boolean tried = indexing.isTried();
    // A node in time stays so while documents are written, which may be many.
    boolean complete = !changes.hasMore() && hasRights() && (tried || !late);
    status.ended(began, failing, tried, complete);
    return changes.hasMore();
  }

  /** Tests whether everything that rights depend on could be read from the store. */
  private boolean hasRights() {
    return Collections.disjoint(failing, first) && !indexing.missesRights();
  }

  /** Reads changes in the store, whose news are added, or the reasons why they cannot be read. */
  private List<RepositoryChange> read(
      StoreChanges changes, Map<Project.NameKey, News> news, Map<Project.NameKey, Throwable> failed)
      throws IOException {
    List<RepositoryChange> read = new ArrayList<>();
    int others = 0; // not failing; failing ones do not use up the limit
    while (others < PROJECTS) {
      Optional<RepositoryChange> next = changes.next();
      if (next.isEmpty()) {
        break;
      }
      read.add(next.get());
      Project.NameKey project = Project.nameKey(next.get().name());
      others += failing.contains(project) ? 0 : 1;
      try {
        add(next.get(), news);
      } catch (IOException | RuntimeException | Error e) {
        failed.put(project, e);
      }
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

  /**
   * Evicts what caches have of the projects with news that rights depend on, by several threads.
   * Waits for nothing but the store, and for loads of the entries that are evicted.
   */
  private void evict(
      Map<Project.NameKey, News> news, long known, Map<Project.NameKey, Throwable> failed)
      throws InterruptedException {
    Map<Project.NameKey, Future<?>> evictions = new LinkedHashMap<>();
    Stream.concat(first.stream(), news.keySet().stream())
        .distinct()
        .filter(project -> news.containsKey(project) && news.get(project).isOfRights())
        .forEach(
            project -> evictions.put(project, threads.submit(() -> evict(project, news, known))));
    for (Map.Entry<Project.NameKey, Future<?>> eviction : evictions.entrySet()) {
      try {
        eviction.getValue().get();
      } catch (ExecutionException e) {
        failed.put(eviction.getKey(), e.getCause());
      }
    }
  }

  private Void evict(Project.NameKey project, Map<Project.NameKey, News> news, long known)
      throws Exception {
    return repositories.since(
        known,
        () -> {
          local.evict(project, news.get(project).effects());
          return null;
        });
  }

  /** Notes the projects that failed in this round; each is named once, until it can be read. */
  private void note(Map<Project.NameKey, Throwable> failed) {
    failed.forEach(
        (project, reason) -> {
          if (!failing.contains(project)) {
            LOG.atWarning().withCause(reason).log(
                "Following: %s cannot be read, and is tried again in each round", project);
          }
        });
    failing = Set.copyOf(failed.keySet());
  }

  /**
   * Notes projects whose news are about to be applied. An index that is being made may get older
   * documents of them later. News that are not read yet will be applied after these.
   */
  private void noteReindexed(Set<Project.NameKey> changed) {
    if (reindexes.areRunning()) {
      reindexed.addAll(changed);
    } else {
      reindexed.forEach(this::compare);
      reindexed.clear();
    }
  }

  private void add(RepositoryChange change, Map<Project.NameKey, News> news) throws IOException {
    change.formerName().ifPresent(name -> news(news, Project.nameKey(name)).addEverything());
    Project.NameKey project = Project.nameKey(change.name());
    if (ProjectNames.repository(project).isPresent()) {
      news(news, project).add(change, project.equals(allUsers));
    }
  }

  private static News news(Map<Project.NameKey, News> news, Project.NameKey project) {
    return news.computeIfAbsent(project, p -> new News());
  }

  /**
   * Has events posted once the documents that they announce are written, or that takes too long. A
   * thread of its own posts them, because rules of a project decide who may see an event, and an
   * owner can write rules that take forever. With {@link #HANGING} such projects, no more events
   * are posted.
   */
  private void postEvents() {
    Duration since = Duration.ofNanos(System.nanoTime() - postedAt);
    hanging.removeIf(Future::isDone);
    if (!posting.isDone() && since.compareTo(postLong) > 0 && hanging.size() < HANGING - 1) {
      hanging.add(posting);
      posting = Futures.immediateVoidFuture();
    }
    if (posting.isDone() && (indexing.isTried() || since.compareTo(EVENTS_WAIT) > 0)) {
      postedAt = System.nanoTime();
      int read = events.unposted();
      posting = posters.submit(() -> post(read));
    }
  }

  private void post(int read) {
    try {
      events.post(read);
    } catch (RuntimeException | Error e) {
      LOG.atWarning().atMostEvery(1, TimeUnit.MINUTES).log(
          "Following: events are not posted now: %s", e);
    }
  }

  private void shareEvents() {
    try {
      events.exchange();
    } catch (IOException | RuntimeException | Error e) { // no event keeps the node from following
      LOG.atWarning().atMostEvery(1, TimeUnit.MINUTES).log(
          "Following: events are not shared now: %s", e);
    }
  }

  /**
   * Saves the position as of the previous call. In the meantime, a request of this Gerrit may have
   * replaced a document with one of an earlier state; such documents are followed again, from a
   * list in memory. Neither this list nor the effects of this node that wait are durable, so the
   * position is saved only when none of them waits. A document that fails by itself does not count,
   * or a user could keep the position from being saved: it is tried some more times in this
   * process.
   */
  private void save() throws IOException {
    if (toBeSaved > 0 && nothingWaits()) {
      savedAt = System.nanoTime();
      indexes.commit();
      if (reached != null) {
        file.save(reached);
      }
      reach();
      toBeSaved--;
    }
  }

  /** Tests whether everything that the position to be saved next covers is applied. */
  private boolean nothingWaits() {
    return indexing.isCaughtUp()
        && reindexed.isEmpty()
        && indexedHere.isEmpty()
        && (reached == null || !own.anyKnownAt(reachedAt));
  }
}
