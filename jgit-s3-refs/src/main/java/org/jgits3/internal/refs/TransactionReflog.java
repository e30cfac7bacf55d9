// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.refs;

import java.io.IOException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import org.eclipse.jgit.lib.CheckoutEntry;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.PersonIdent;
import org.eclipse.jgit.lib.ReflogEntry;
import org.eclipse.jgit.lib.ReflogReader;
import org.jgits3.internal.refs.log.LogReader;
import org.jgits3.manifest.LogEntry;
import org.jgits3.manifest.RefChange;

/**
 * Reflog of one ref, read from the log of transactions. It goes back to when the ref was created,
 * or created again after it had been deleted; a ref that was renamed has the entries of its former
 * names as well. That of a deleted ref begins with the deletion, while {@code RefDirectory} has
 * none.
 *
 * <p>Unlike {@code RefDirectory}, every update is logged, even if {@code core.logAllRefUpdates} is
 * off; if the caller disabled the reflog, the message is empty.
 */
final class TransactionReflog implements ReflogReader {
  private static final Pattern LINE_END = Pattern.compile("\r?\n");

  private final LogReader log;
  private final String ref;

  TransactionReflog(LogReader log, String ref) {
    this.log = log;
    this.ref = ref;
  }

  @Override
  public ReflogEntry getLastEntry() throws IOException {
    return getReverseEntry(0);
  }

  @Override
  public List<ReflogEntry> getReverseEntries() throws IOException {
    return getReverseEntries(Integer.MAX_VALUE);
  }

  @Override
  public ReflogEntry getReverseEntry(int number) throws IOException {
    List<ReflogEntry> entries = getReverseEntries(number + 1);
    return entries.size() > number ? entries.get(number) : null;
  }

  @Override
  public List<ReflogEntry> getReverseEntries(int max) throws IOException {
    List<ReflogEntry> found = new ArrayList<>();
    if (max > 0) {
      log.backwards(ref, (transaction, change) -> collect(transaction, change, found, max));
    }
    return found;
  }

  /**
   * Adds an entry, unless the ref was deleted before the entries that were found; returns the name
   * under which to look for older ones, empty to stop.
   */
  private static Optional<String> collect(
      LogEntry transaction, RefChange c, List<ReflogEntry> found, int max) {
    if (c.deletes() && !found.isEmpty()) {
      return Optional.empty();
    }
    found.add(new Entry(transaction, c));
    if (found.size() == max) {
      return Optional.empty();
    }
    if (c.renamedFrom().isPresent()) {
      return c.renamedFrom();
    }
    return c.creates() ? Optional.empty() : Optional.of(c.ref());
  }

  private record Entry(LogEntry transaction, RefChange change) implements ReflogEntry {
    @Override
    public ObjectId getOldId() {
      return change.oldId();
    }

    @Override
    public ObjectId getNewId() {
      return change.newId();
    }

    @Override
    public PersonIdent getWho() {
      return new PersonIdent(
          transaction.name(),
          transaction.email(),
          Instant.ofEpochMilli(transaction.time()),
          ZoneOffset.ofTotalSeconds(transaction.zone() * 60));
    }

    /** The message in one line, as in Git's reflog. */
    @Override
    public String getComment() {
      return LINE_END.matcher(transaction.message()).replaceAll(" ");
    }

    /** Returns null: a repository in a store has no working tree, so no checkouts. */
    @Override
    public CheckoutEntry parseCheckout() {
      return null;
    }
  }
}
