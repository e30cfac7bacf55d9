// SPDX-License-Identifier: Apache-2.0
package org.jgits3;

import java.time.Duration;
import java.util.OptionalLong;
import org.jgits3.store.Freshness;

/**
 * A purpose that a repository is opened for. Tells the answers of the store that suffice to open
 * it, and those that look-ups of refs rely on, besides those that the administrator allows by
 * {@code [s3 "refs"] validate}.
 *
 * @param opening answers that suffice for finding the repository and its configuration
 * @param lookups answers that suffice for refs
 * @param began moment since when the one operation runs that the handle is for, such as a fetch or
 *     a push: a reading of {@link System#nanoTime}; empty if it is for several
 * @param defersReceived true if packs that are received are published in the same write as the
 *     refs, see {@link org.jgits3.internal.pack.S3ObjDatabase#deferReceivedPacks}
 */
public record Purpose(
    Freshness opening, Freshness lookups, OptionalLong began, boolean defersReceived) {
  /** The longest time between the advertisement and the request that belongs to it. */
  private static final Duration ADVERTISED = Duration.ofSeconds(10);

  /**
   * Several operations, or a long life. A known repository is opened without a request, each
   * look-up costs one.
   */
  public static final Purpose ANY =
      new Purpose(Freshness.KNOWN, Freshness.ALWAYS, OptionalLong.empty(), false);

  /**
   * A request that begins now, such as a fetch or a push. The store is asked once; look-ups return
   * refs as of that moment or later. Not for handles that outlive the request.
   *
   * @return this purpose
   */
  public static Purpose request() {
    return request(System.nanoTime());
  }

  /**
   * A request that may open a repository many times. The store is asked only if the process has not
   * done so since the request began: all handles of one request cost one request to the store. They
   * see all writes of this process, and those of other processes that had completed when the
   * request began.
   *
   * @param began a moment in which the request was already running: a reading of {@link
   *     System#nanoTime}
   * @return this purpose
   */
  public static Purpose request(long began) {
    Freshness since = Freshness.since(began);
    return new Purpose(since, since, OptionalLong.of(began), false);
  }

  /**
   * The request of a push that carries its commands. Costs nothing if the store was asked within 10
   * seconds, as it was for the advertisement that the client has just read. That suffices to accept
   * a push, because its write checks everything again. Before the caller refuses a push for the
   * values of refs, or advertises refs, it must {@linkplain S3Repository#validate validate} the
   * handle.
   *
   * @return this purpose
   */
  public static Purpose push() {
    long now = System.nanoTime();
    return new Purpose(advertised(now), advertised(now), OptionalLong.of(now), true);
  }

  /**
   * One request of a fetch. Opening costs nothing if the store was asked within 10 seconds, as it
   * was for the refs that the client has just read. An unknown object is then looked for in newer
   * packs; the configuration may be as old as that answer. The first look-up of refs asks the
   * store, unless {@link org.jgits3.internal.refs.S3RefDatabase#relyOnKnown} was called.
   *
   * @return this purpose
   */
  public static Purpose fetch() {
    long now = System.nanoTime();
    return new Purpose(advertised(now), Freshness.since(now), OptionalLong.of(now), false);
  }

  private static Freshness advertised(long now) {
    return Freshness.since(now - ADVERTISED.toNanos());
  }

  /** Answers since the operation began; none if there are several. */
  Freshness sinceBegan() {
    return began.isPresent() ? Freshness.since(began.getAsLong()) : Freshness.ALWAYS;
  }

  /** As this, but relies on other answers, too. */
  Purpose or(Freshness other) {
    return new Purpose(opening.or(other), lookups.or(other), began, defersReceived);
  }
}
