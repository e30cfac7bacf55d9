// SPDX-License-Identifier: Apache-2.0
package org.jgits3.gerrit.follow;

import com.google.common.flogger.FluentLogger;
import com.google.common.util.concurrent.ThreadFactoryBuilder;
import com.google.gerrit.entities.Project;
import com.google.gerrit.server.config.AllProjectsName;
import com.google.gerrit.server.config.AllUsersName;
import com.google.inject.Inject;
import com.google.inject.Singleton;
import java.time.Duration;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jgits3.gerrit.index.Effect;
import org.jgits3.gerrit.index.LocalState;
import org.jgits3.gerrit.repository.S3GitRepositoryManager;

/**
 * Brings documents of the indexes up to date, by threads that each take some of one project. A
 * project whose documents are slow, hang or fail delays its own documents only:
 *
 * <ol>
 *   <li>A project has at most {@value Backlog#TASKS} tasks under way, of {@link #THREADS} or more.
 *   <li>A task that takes longer than {@link #LONG} counts no longer, so another thread begins.
 *   <li>Groups, which rights depend on, wait for no other documents: their tasks do not count.
 *   <li>A document that fails is tried again in the next rounds, and in the end given up until it
 *       changes.
 * </ol>
 *
 * <p>Everything is under one lock, except the work itself. Following is idempotent and compares a
 * document with the refs, so tasks need no order; an effect that comes while it is under way is
 * taken again afterwards, and sees the later refs.
 *
 * <p>Safe for use by many threads.
 */
@Singleton
final class Indexing {
  private static final FluentLogger LOG = FluentLogger.forEnclosingClass();

  /**
   * Number of tasks under way, not counting long ones and those of groups. They mostly wait, for
   * the store, and for Lucene to make written documents visible, which it does for all at once.
   */
  static final int THREADS = Math.max(8, Runtime.getRuntime().availableProcessors() / 2);

  /** Time after which a task counts as one that may hang. */
  static final Duration LONG = Duration.ofMinutes(1);

  /** Time after which the documents of a project are waited for no longer. */
  static final Duration PATIENCE = Duration.ofMinutes(5);

  private static final Effect ALL = new Effect.OfProject();

  /** Maximum number of documents that are named in one line of the log. */
  private static final int NAMED = 10;

  private final S3GitRepositoryManager repositories;
  private final LocalState local;
  private final Duration longest;
  private final Duration patience;
  private final ExecutorService threads =
      Executors.newCachedThreadPool(
          new ThreadFactoryBuilder().setNameFormat("s3-follower-%d").setDaemon(true).build());

  /** Effects of a project, or of all groups. */
  private static final class Lane {
    final Project.NameKey project;
    final Backlog backlog;

    /** Refs that were read since then are new enough. */
    long told;

    /** {@link System#nanoTime} since which something waits or is under way. */
    long since;

    /** Time of the oldest transaction whose effects wait; in milliseconds since the epoch. */
    long oldest = Long.MAX_VALUE;

    Lane(Project.NameKey project, boolean isOfRights, long told) {
      this.project = project;
      this.told = told;
      this.backlog = new Backlog(isOfRights);
    }
  }

  /** Work of one thread. */
  private record Task(Lane lane, List<Effect> effects, long told, long began) {}

  /** A document of a project. */
  private record Document(Project.NameKey project, Effect effect) {}

  /** Projects that rights depend on. */
  private final Set<Project.NameKey> ofRights;

  // All guarded by this:
  private final Lane groups;
  private final Map<Project.NameKey, Lane> lanes = new LinkedHashMap<>();
  private final Set<Task> counted = new HashSet<>();
  private final Set<Document> givenUp = new HashSet<>();
  private long lagMillis;
  private boolean stopped;

  @Inject
  Indexing(
      S3GitRepositoryManager repositories,
      LocalState local,
      AllProjectsName allProjects,
      AllUsersName allUsers) {
    this(repositories, local, allProjects, allUsers, LONG, PATIENCE);
  }

  /** Creates one with other times, for tests. */
  Indexing(
      S3GitRepositoryManager repositories,
      LocalState local,
      AllProjectsName allProjects,
      AllUsersName allUsers,
      Duration longest,
      Duration patience) {
    this.repositories = repositories;
    this.local = local;
    this.longest = longest;
    this.patience = patience;
    this.ofRights = Set.of(allProjects, allUsers);
    this.groups = new Lane(allUsers, true, System.nanoTime());
  }

  /**
   * Adds effects to be followed.
   *
   * @param project the project
   * @param effects the effects
   * @param told reading of {@link System#nanoTime} after they were read; refs read since then are
   *     new enough
   */
  void add(Project.NameKey project, Collection<Effect> effects, long told) {
    add(project, effects, told, Long.MAX_VALUE);
  }

  /**
   * Adds effects of transactions.
   *
   * @param oldest time of the oldest transaction in milliseconds since the epoch
   */
  synchronized void add(
      Project.NameKey project, Collection<Effect> effects, long told, long oldest) {
    List<Effect> ofGroups = effects.stream().filter(Effect.OfGroup.class::isInstance).toList();
    List<Effect> others =
        effects.stream().filter(each -> !(each instanceof Effect.OfGroup)).toList();
    add(groups, ofGroups, told, oldest);
    if (!others.isEmpty()) {
      Lane lane =
          lanes.computeIfAbsent(project, name -> new Lane(name, ofRights.contains(name), told));
      add(lane, others, told, oldest);
    }
    begin();
  }

  private static void add(Lane lane, List<Effect> effects, long told, long oldest) {
    if (effects.isEmpty()) {
      return;
    }
    if (lane.backlog.isEmpty()) {
      lane.since = System.nanoTime();
    }
    lane.backlog.add(effects);
    lane.told = lane.told - told < 0 ? told : lane.told; // that of the newest effects
    lane.oldest = Math.min(lane.oldest, oldest);
  }

  /** Has documents that failed tried again. Called once in each round. */
  synchronized void retry() {
    all().forEach(lane -> lane.backlog.retry());
    begin();
  }

  /** Begins tasks as long as there are threads and effects for them. */
  private void begin() {
    while (!stopped && begin(groups)) {}
    long now = System.nanoTime();
    for (Task task : List.copyOf(counted)) {
      if (now - task.began > longest.toNanos()) {
        counted.remove(task);
        LOG.atWarning().log(
            "Following: it takes longer than %s s to index %s of %s",
            longest.toSeconds(), names(task.effects), task.lane.project);
      }
    }
    boolean begun = true;
    while (begun) {
      begun = false;
      for (Lane lane : List.copyOf(lanes.values())) {
        if (counted.size() >= THREADS || stopped) {
          return;
        }
        if (begin(lane)) {
          begun = true;
          lanes.remove(lane.project); // behind the other projects
          lanes.put(lane.project, lane);
        }
      }
    }
  }

  private boolean begin(Lane lane) {
    List<Effect> effects = lane.backlog.take();
    if (effects.isEmpty()) {
      return false;
    }
    Task task = new Task(lane, effects, lane.told, System.nanoTime());
    if (lane != groups) {
      counted.add(task);
    }
    threads.execute(() -> run(task));
    return true;
  }

  private void run(Task task) {
    LocalState.Followed result = new LocalState.Followed();
    Project.NameKey project = task.lane.project;
    try {
      result = repositories.since(task.told, () -> local.follow(project, task.effects));
    } catch (Exception | Error e) {
      for (Effect effect : task.effects) {
        result.failed().put(effect, e);
      }
    } finally {
      end(task, result);
    }
  }

  private synchronized void end(Task task, LocalState.Followed result) {
    counted.remove(task);
    Lane lane = task.lane;
    if (!result.failed().containsKey(ALL) && task.effects.contains(ALL)) {
      givenUp.removeIf(document -> document.project.equals(lane.project)); // all are found again
    }
    task.effects.forEach(effect -> givenUp.remove(new Document(lane.project, effect.document())));
    giveUp(lane.project, lane.backlog.end(task.effects, result.failed()), result.failed());
    if (lane.backlog.storeFails() && !stopped) {
      LOG.atWarning().atMostEvery(1, TimeUnit.MINUTES).log(
          "Following: the store fails while %s is indexed, which is tried again: %s",
          lane.project, result.failed().values());
    }
    if (!result.found().isEmpty()) {
      add(lane.project, result.found(), task.told);
    }
    if (lane.backlog.isEmpty()) {
      lagMillis = lane.oldest == Long.MAX_VALUE ? lagMillis : lag(lane);
      lane.oldest = Long.MAX_VALUE;
      lanes.remove(lane.project, lane);
    }
    begin();
    notifyAll();
  }

  private void giveUp(Project.NameKey project, Set<Effect> lost, Map<Effect, Throwable> reasons) {
    if (lost.isEmpty() || stopped) {
      return;
    }
    lost.forEach(effect -> givenUp.add(new Document(project, effect.document())));
    LOG.atSevere().withCause(reasons.get(lost.iterator().next())).log(
        "Following: given up until it changes: %s of %s", names(lost), project);
  }

  private static String names(Collection<Effect> effects) {
    String names =
        effects.stream().limit(NAMED).map(Effect::toString).collect(Collectors.joining(", "));
    return effects.size() > NAMED ? names + " and " + (effects.size() - NAMED) + " more" : names;
  }

  private Stream<Lane> all() {
    return Stream.concat(Stream.of(groups), lanes.values().stream());
  }

  private static long lag(Lane lane) {
    return System.currentTimeMillis() - lane.oldest;
  }

  /** Tests whether nothing waits and nothing is under way. */
  synchronized boolean isEmpty() {
    return all().allMatch(lane -> lane.backlog.isEmpty());
  }

  /**
   * Tests whether everything is followed that was added, except documents that fail by themselves.
   */
  synchronized boolean isCaughtUp() {
    return all().allMatch(lane -> lane.backlog.isCaughtUp());
  }

  /**
   * Tests the same, except for projects that have taken {@link #PATIENCE}. After an outage it is
   * true once everything that the store failed was followed.
   */
  synchronized boolean isTried() {
    long now = System.nanoTime();
    return all()
        .filter(lane -> lane == groups || now - lane.since < patience.toNanos())
        .allMatch(lane -> lane.backlog.isCaughtUp());
  }

  /**
   * Waits until everything was tried.
   *
   * @param deadline reading of {@link System#nanoTime} after which it waits no longer
   */
  synchronized void await(long deadline) throws InterruptedException {
    for (long left = deadline - System.nanoTime();
        left > 0 && !isTried();
        left = deadline - System.nanoTime()) {
      TimeUnit.NANOSECONDS.timedWait(this, left);
    }
  }

  /** Projects of which something failed and is tried again. */
  synchronized Set<Project.NameKey> failing() {
    Set<Project.NameKey> failing = new HashSet<>();
    all().filter(lane -> lane.backlog.isFailing()).forEach(lane -> failing.add(lane.project));
    return failing;
  }

  /**
   * Tests whether rights may be missing, since the store fails, or All-Projects or All-Users cannot
   * be compared. Contents of documents are no cause.
   */
  synchronized boolean missesRights() {
    return all().anyMatch(lane -> lane.backlog.missesRights());
  }

  /** Number of documents that were given up and did not change since. */
  synchronized long givenUp() {
    return givenUp.size();
  }

  /**
   * Time from the oldest transaction of another node to the moment when its documents were written,
   * or to now while some wait, in milliseconds, by the clocks of the two nodes.
   */
  synchronized long lagMillis() {
    return all()
        .filter(lane -> lane.oldest != Long.MAX_VALUE)
        .mapToLong(Indexing::lag)
        .max()
        .orElse(lagMillis);
  }

  /** Ends all work. What was not finished is followed again after the next start. */
  void stop() {
    synchronized (this) {
      stopped = true;
    }
    threads.shutdown(); // an interrupt would close the files of an index
  }
}
