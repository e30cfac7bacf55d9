// SPDX-License-Identifier: Apache-2.0
package org.jgits3.gerrit.follow;

import com.google.common.collect.Sets;
import com.google.common.flogger.FluentLogger;
import com.google.gerrit.entities.Project;
import com.google.gerrit.metrics.Description;
import com.google.gerrit.metrics.Description.Units;
import com.google.gerrit.metrics.MetricMaker;
import com.google.inject.Inject;
import com.google.inject.Singleton;
import java.time.Duration;
import java.util.Set;
import java.util.function.LongSupplier;
import org.jgits3.gerrit.index.LocalState;

/**
 * Progress of following, for administrators and load balancers. A node is ready if it has evicted
 * everything that was in the store {@link #LATE} ago; a node that starts, or was late, also has to
 * have tried all documents. Nothing that a user writes keeps a node from that: a document that
 * cannot be indexed, and a project that cannot be read, do not count. A node that cannot read
 * All-Projects or All-Users is not ready, because permissions depend on them. Also in Gerrit's
 * registry of metrics, under {@code s3/follower/}. Safe for use by many threads.
 */
@Singleton
class FollowerStatus {
  private static final FluentLogger LOG = FluentLogger.forEnclosingClass();

  /** Time without a complete round after which a node counts as late. */
  static final Duration LATE = Duration.ofSeconds(15);

  private final LocalState local;
  private final Indexing indexing;

  private long rounds; // all guarded by this
  private long completeSince = System.nanoTime();
  private boolean late = true;
  private Set<Project.NameKey> unreadable = Set.of();
  private boolean failed;
  private String told = "";

  @Inject
  FollowerStatus(LocalState local, Indexing indexing, MetricMaker metrics) {
    this.local = local;
    this.indexing = indexing;
    String millis = Units.MILLISECONDS;
    show(
        metrics,
        "behind",
        new Description("Age of the newest state that is followed").setGauge().setUnit(millis),
        () -> report().behindMillis());
    show(
        metrics,
        "lag",
        new Description("Time until documents of changes were written").setGauge().setUnit(millis),
        indexing::lagMillis);
    show(
        metrics,
        "failing",
        new Description("Projects that cannot be followed").setGauge(),
        () -> failing().size());
    show(
        metrics,
        "given_up",
        new Description("Documents that cannot be indexed, until they change").setGauge(),
        indexing::givenUp);
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

  /** Projects that are tried again: they cannot be read, or some document cannot be indexed. */
  private synchronized Set<Project.NameKey> failing() {
    return Sets.union(unreadable, indexing.failing());
  }

  /**
   * Progress at one moment, as REST shows it.
   *
   * @param ready true if requests may be sent to this node
   * @param behindMillis age of the newest state of the store that is followed completely
   * @param lagMillis time from a transaction of another node until its documents were written, or
   *     to now if some are not written yet, by the clocks of the two nodes
   * @param rounds rounds since the start after which all documents were tried
   * @param indexed documents written since the start
   * @param givenUp documents that cannot be indexed, and are left as they are until they change
   * @param failure current failure; empty if there is none
   */
  record Report(
      boolean ready,
      long behindMillis,
      long lagMillis,
      long rounds,
      long indexed,
      long givenUp,
      String failure) {}

  /** Returns the progress now. */
  synchronized Report report() {
    return new Report(
        !isLate(),
        behind().toMillis(),
        indexing.lagMillis(),
        rounds,
        local.indexed(),
        indexing.givenUp(),
        failure());
  }

  /** Shown without a password, so it names no project. */
  private String failure() {
    if (failed) {
      return "the last round failed, see the log";
    }
    int failing = failing().size();
    return failing == 0 ? "" : failing + " projects cannot be followed, see the log";
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
    failed = true;
    String said = String.valueOf(e.getMessage());
    if (!said.equals(told)) {
      told = said;
      LOG.atWarning().withCause(e).log("Following: a round failed, and is tried again");
    }
  }

  /**
   * Notes the end of a round.
   *
   * @param began reading of {@link System#nanoTime} before the store was asked
   * @param notRead projects that could not be read
   * @param tried true if all documents were tried
   * @param complete true if the node has everything by which it is ready
   */
  synchronized void ended(
      long began, Set<Project.NameKey> notRead, boolean tried, boolean complete) {
    rounds += tried ? 1 : 0;
    told = "";
    failed = false;
    unreadable = notRead;
    if (!complete) {
      return;
    }
    if (isLate()) {
      late = false;
      LOG.atInfo().log(
          "Following: caught up after %s s; %s documents written so far",
          behind().toSeconds(), local.indexed());
    }
    completeSince = began;
  }
}
