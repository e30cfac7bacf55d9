// SPDX-License-Identifier: Apache-2.0
package org.jgits3.history;

import java.io.IOException;
import java.util.Optional;
import java.util.function.Predicate;
import org.jgits3.history.HistoryUnavailableException.Reason;
import org.jgits3.internal.refs.log.LogObjects;
import org.jgits3.manifest.VersionedManifest;
import org.jgits3.store.ObjectStore;
import org.jgits3.store.ObjectVersion;

/**
 * Everything that happened in all repositories of a store since a cursor, for followers: indexers,
 * webhooks, replicas.
 *
 * <pre>{@code
 * StoreCursor read = ...; // kept by the follower with its own state; history.now() at first
 * StoreChanges news = history.since(read);
 * for (var next = news.next(); next.isPresent(); next = news.next()) {
 *   handle(next.get()); // its name, id, kind and transactions
 * }
 * read = news.end(); // to be saved once all that is durable
 * }</pre>
 *
 * <p>Each change is returned at least once: again if the follower ended before it saved the cursor.
 * Transactions of a repository come in order, without a gap, even if its log was folded meanwhile.
 * There is no order between repositories. A repository that was created and deleted between two
 * polls is not returned; one that an import is making is returned only once it has its name.
 *
 * <p>A poll lists the manifests of the store, a request for each 1,000 repositories that ever were,
 * and reads those whose version differs from that in the cursor: one conditional GET each, or none
 * if this process has made the newest version itself. A repository that did not change costs its
 * share of the listing. Where listings give no versions (a directory), or versions are not trusted
 * ({@code [s3 "refs"] trustETag = never}), each repository costs a GET.
 *
 * <p>Repositories that changed names among each other are returned together, the one that has left
 * a name before the one that has taken it, unless they form a circle. A store that is restored from
 * a copy while processes run is not supported, and may hide changes.
 *
 * <p>Transactions between the last poll and the deletion of a repository are lost with it. If its
 * creation was handled, but is not covered by the saved cursor, its deletion is not returned
 * either; {@link StoreCursor#forEach} tells which repositories a cursor covers.
 *
 * <p>Safe for use by many threads.
 */
public final class StoreHistory {
  private final ObjectStore store;
  private final Manifests manifests;
  private final boolean trusted;
  private final LogObjects log;

  /** Source of manifests. Called by many threads. */
  public interface Manifests {
    /**
     * Reads the manifest of a repository, or returns the one that the process has if it is the
     * newest.
     *
     * @param repositoryId its id
     * @param name a name that it had; empty if none is known
     * @param newest tells whether a version is the one that the store has
     * @return the manifest, whatever its state; empty if there is none
     * @throws IOException if it cannot be read
     */
    Optional<VersionedManifest> read(
        String repositoryId, Optional<String> name, Predicate<ObjectVersion> newest)
        throws IOException;

    /**
     * Tests whether the process has committed a generation of a repository, as far as it remembers.
     *
     * @param repositoryId its id
     * @param name its name
     * @param generation the generation
     * @return true only if so
     */
    boolean isOwn(String repositoryId, String name, long generation);
  }

  /**
   * Creates the history of a store.
   *
   * @param store the store
   * @param manifests source of its manifests
   * @param trusted whether a version of a manifest tells that it has not changed
   * @param log reads the logs of transactions
   */
  public StoreHistory(ObjectStore store, Manifests manifests, boolean trusted, LogObjects log) {
    this.store = store;
    this.manifests = manifests;
    this.trusted = trusted;
    this.log = log;
  }

  /**
   * Cursor before everything: the first poll returns each repository with all its transactions.
   *
   * @return the cursor; costs no request
   */
  public StoreCursor start() {
    return StoreCursor.start(store.location());
  }

  /**
   * Cursor after everything that happened before this call. Reads each manifest once: a request for
   * each repository, several at a time. A repository that cannot be read is left out, so that the
   * first poll returns it.
   *
   * @return the cursor
   * @throws IOException if the store does not answer or refuses
   */
  public StoreCursor now() throws IOException {
    Skipped skipped = new Skipped(start(), true);
    while (skipped.more()) {
      skipped = skip(skipped.end());
    }
    return skipped.end();
  }

  private record Skipped(StoreCursor end, boolean more) {}

  /** Skips what one poll returns, and lets go of its listing. */
  private Skipped skip(StoreCursor read) throws IOException {
    StoreChanges all = since(read);
    while (all.next().isPresent()) {} // passes by all of them
    return new Skipped(all.end(), all.hasMore());
  }

  /**
   * Changes since a cursor. Lists the store; manifests are read as the changes are asked for.
   *
   * @param read cursor up to which the caller has read
   * @return the changes, to be used by one thread
   * @throws HistoryUnavailableException if the cursor is of another store
   * @throws IOException if the store does not answer or refuses
   */
  public StoreChanges since(StoreCursor read) throws IOException {
    if (!read.location().equals(store.location())) {
      throw new HistoryUnavailableException(
          Reason.OTHER_STORE,
          "the cursor is of the store "
              + read.location()
              + ", this one is "
              + store.location()
              + "; begin anew");
    }
    return new StoreChanges(
        read, Scan.of(store, read, trusted), new ChangeReader(read, manifests, trusted, log));
  }
}
