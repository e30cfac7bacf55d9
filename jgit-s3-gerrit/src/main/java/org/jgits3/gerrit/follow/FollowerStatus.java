// SPDX-License-Identifier: Apache-2.0
package org.jgits3.gerrit.follow;

import com.google.common.flogger.FluentLogger;
import com.google.gerrit.entities.Project;
import com.google.gerrit.metrics.Description;
import com.google.gerrit.metrics.Description.Units;
import com.google.gerrit.metrics.MetricMaker;
import com.google.inject.Inject;
import com.google.inject.Singleton;
import java.time.Duration;
import java.util.Collection;
import java.util.Set;
import java.util.function.LongSupplier;
import org.jgits3.gerrit.index.LocalState;
import org.jgits3.gerrit.index.News;

/**
 * Progress of following, for administrators and load balancers. A node is ready if it has followed
 * everything that was in the store {@link #LATE} ago, except for failing projects, which fail on
 * the other nodes, too. A node that cannot follow All-Projects or All-Users is not ready, because
 * permissions depend on them. Also in Gerrit's registry of metrics, under {@code s3/follower/}.
 * Safe for use by many threads.
 */
@Singleton
class FollowerStatus {
  private static final FluentLogger LOG = FluentLogger.forEnclosingClass();

  /** Time without a complete round after which a node counts as late. */
  static final Duration LATE = Duration.ofSeconds(15);

  private final LocalState local;

  private long rounds; // all guarded by this
  private long completeSince = System.nanoTime();
  private long lagMillis;
  private boolean late = true;
  private int failing;
  private String failure = ""; // shown without a password, so it names no project
  private String told = "";

  @Inject
  FollowerStatus(LocalState local, MetricMaker metrics) {
    this.local = local;
    String millis = Units.MILLISECONDS;
    show(
        metrics,
        "behind",
        new Description("Age of the newest state that is followed").setGauge().setUnit(millis),
        () -> report().behindMillis());
    show(
        metrics,
        "lag",
        new Description("Time until changes were followed").setGauge().setUnit(millis),
        () -> report().lagMillis());
    show(
        metrics,
        "failing",
        new Description("Projects that cannot be followed").setGauge(),
        this::failing);
    show(
        metrics,
        "indexed",
        new Description("Documents that were written").setCumulative(),
        local::indexed);
  }

  private static void show(
      MetricMaker metrics, String name, Description description, LongSupplier value) {
    metrics.newCallbackMetric("s3/follower/" + name, Long.class, description, value::getAsLong);
  }

  private synchronized long failing() {
    return failing;
  }

  /**
   * Progress at one moment, as REST shows it.
   *
   * @param ready true if requests may be sent to this node
   * @param behindMillis age of the newest state of the store that is followed completely
   * @param lagMillis time from the oldest transaction in the last round that had any to the end of
   *     the round, by the clocks of the two nodes
   * @param rounds rounds since the start
   * @param indexed documents written since the start
   * @param failure current failure; empty if there is none
   */
  record Report(
      boolean ready,
      long behindMillis,
      long lagMillis,
      long rounds,
      long indexed,
      String failure) {}

  /** Returns the progress now. */
  synchronized Report report() {
    Duration behind = behind();
    return new Report(!isLate(), behind.toMillis(), lagMillis, rounds, local.indexed(), failure);
  }

  /** Tests whether requests should not be sent to this node. */
  synchronized boolean isLate() {
    return late || behind().compareTo(LATE) >= 0;
  }

  private Duration behind() {
    return Duration.ofNanos(System.nanoTime() - completeSince);
  }

  /**
   * Notes that a round failed. The same failure is logged once, until another one occurs or a round
   * ends.
   */
  synchronized void failed(Throwable e) {
    failure = "the last round failed, see the log";
    String said = String.valueOf(e.getMessage());
    if (!said.equals(told)) {
      told = said;
      LOG.atWarning().withCause(e).log("Following: is tried again");
    }
  }

  /**
   * Notes the end of a round.
   *
   * @param began reading of {@link System#nanoTime} before the store was asked
   * @param news what was applied
   * @param failed projects that could not be followed
   * @param complete true if everything was followed, except failing projects other than
   *     All-Projects and All-Users
   */
  synchronized void ended(
      long began, Collection<News> news, Set<Project.NameKey> failed, boolean complete) {
    rounds++;
    told = "";
    failing = failed.size();
    failure = failed.isEmpty() ? "" : failed.size() + " projects cannot be followed, see the log";
    news.stream()
        .flatMap(its -> its.oldest().stream())
        .min(Long::compare)
        .ifPresent(oldest -> lagMillis = System.currentTimeMillis() - oldest);
    if (!complete) {
      return;
    }
    if (isLate()) {
      late = false;
      LOG.atInfo().log(
          "Following: caught up after %s s; %s projects in this round, %s documents written so far",
          behind().toSeconds(), news.size(), local.indexed());
    }
    completeSince = began;
  }
}
