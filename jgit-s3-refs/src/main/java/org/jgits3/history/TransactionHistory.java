// SPDX-License-Identifier: Apache-2.0
package org.jgits3.history;

import java.io.IOException;
import java.util.stream.LongStream;
import org.jgits3.history.HistoryUnavailableException.Reason;
import org.jgits3.internal.refs.S3RefDatabase;
import org.jgits3.internal.refs.snapshot.RefView;
import org.jgits3.internal.refs.transaction.SharedRefs;
import org.jgits3.manifest.LogEntry;
import org.jgits3.manifest.LogSegment;
import org.jgits3.manifest.Manifest;
import org.jgits3.manifest.TransactionLog;

/**
 * All transactions of a repository, for followers: index tailers, webhooks, replicas.
 *
 * <pre>{@code
 * LogPosition read = ...; // kept by the follower with its own state
 * Transactions news = repository.history().since(read);
 * for (var next = news.next(); next.isPresent(); next = news.next()) {
 *   next.get().forEachChange(change -> ...);
 * }
 * read = news.end();
 * }</pre>
 *
 * <p>Each call asks the store, whatever is set for look-ups of refs. It costs one conditional
 * request, and no other while the new transactions are still in the manifest, as the last 250 or so
 * are. Safe for use by many threads.
 */
public final class TransactionHistory {
  private final S3RefDatabase refs;
  private final SharedRefs shared;

  /**
   * Creates the history of a repository.
   *
   * @param refs refs of the repository
   */
  public TransactionHistory(S3RefDatabase refs) {
    this.refs = refs;
    this.shared = refs.shared();
  }

  /**
   * Current end of the history.
   *
   * @return position after the newest transaction
   * @throws IOException if the manifest cannot be read
   */
  public LogPosition position() throws IOException {
    Manifest manifest = shared.validatedManifest();
    return new LogPosition(manifest.repositoryId(), manifest.generation());
  }

  /**
   * Transactions after a position.
   *
   * @param read position up to which the caller has read
   * @return the transactions after it
   * @throws HistoryUnavailableException if the position is in the future, or of another repository
   * @throws IOException if the manifest cannot be read
   */
  public Transactions since(LogPosition read) throws IOException {
    Manifest manifest = shared.validatedManifest();
    if (!read.repositoryId().equals(manifest.repositoryId())) {
      throw new HistoryUnavailableException(
          Reason.OTHER_LIFE,
          "the position is of repository "
              + read.repositoryId()
              + ", this one is "
              + manifest.repositoryId()
              + "; begin anew");
    }
    return since(manifest, read.generation());
  }

  /**
   * Transactions after a generation of the current repository, which may not be the one that had
   * its name before.
   *
   * @param generation generation to start after; 0 for all transactions
   * @return the transactions after it
   * @throws HistoryUnavailableException if the generation is in the future
   * @throws IOException if the manifest cannot be read
   */
  public Transactions since(long generation) throws IOException {
    return since(shared.validatedManifest(), generation);
  }

  private Transactions since(Manifest manifest, long generation) throws IOException {
    refuseFuture(manifest, generation);
    return new Transactions(shared.logObjects(), manifest, generation, shared::hasCommitted);
  }

  private static void refuseFuture(Manifest manifest, long generation)
      throws HistoryUnavailableException {
    if (generation > manifest.generation()) {
      throw new HistoryUnavailableException(
          Reason.FUTURE,
          "generation "
              + generation
              + " is in the future: the repository is at generation "
              + manifest.generation());
    }
  }

  /**
   * Plans the restoration of an earlier generation by undoing the transactions since. Changes
   * nothing.
   *
   * @param generation generation to restore
   * @return the plan
   * @throws HistoryUnavailableException if the generation is in the future, or before the history
   * @throws IOException if refs or log cannot be read
   */
  public RefRestoration restoration(long generation) throws IOException {
    SharedRefs.Current now = shared.current();
    refuseFuture(now.manifest(), generation);
    long first = first(now.manifest());
    if (generation < first - 1) {
      throw new HistoryUnavailableException(
          Reason.NOT_REACHED,
          "generation "
              + generation
              + " is not reached: the log begins with generation "
              + first
              + ", before which there were no refs");
    }
    Transactions since = since(now.manifest(), generation);
    return RefRestoration.undoing(refs, generation, since, now.view());
  }

  /**
   * Plans the restoration of given refs, without reading the log. Changes nothing.
   *
   * @param generation generation of the refs, for the log
   * @param wanted refs to restore
   * @return the plan
   * @throws IOException if the current refs cannot be read
   */
  public RefRestoration restoration(long generation, RefView wanted) throws IOException {
    return RefRestoration.of(refs, generation, wanted, shared.current().view());
  }

  private static long first(Manifest manifest) {
    TransactionLog log = manifest.log();
    return LongStream.concat(
            log.segments().stream().mapToLong(LogSegment::from),
            log.tail().stream().mapToLong(LogEntry::generation))
        .min()
        .orElse(manifest.generation() + 1);
  }
}
