// SPDX-License-Identifier: Apache-2.0
package org.jgits3.history;

import java.io.IOException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.function.Consumer;
import java.util.function.LongPredicate;
import org.eclipse.jgit.lib.PersonIdent;
import org.jgits3.internal.function.IoConsumer;
import org.jgits3.manifest.LogEntry;
import org.jgits3.manifest.RefChange;

/**
 * A committed transaction as {@link Transactions} returns it. Several may have one generation:
 * those that were committed together, in this order. Used by one thread.
 */
public final class Transaction {
  private final LogEntry entry;

  /** Passes on the changes; those of a large transaction are read on demand. */
  private final IoConsumer<Consumer<RefChange>> changes;

  private final LongPredicate own;

  Transaction(LogEntry entry, IoConsumer<Consumer<RefChange>> changes, LongPredicate own) {
    this.entry = entry;
    this.changes = changes;
    this.own = own;
  }

  /**
   * The generation of the repository that the transaction made.
   *
   * @return generation
   */
  public long generation() {
    return entry.generation();
  }

  /**
   * Tests whether this process has committed the transaction, through the manager of this history.
   * For followers that handle their own changes when they make them. The manager remembers the last
   * 256 commits of each repository that it knows, until the process ends. For any other commit, and
   * for one whose answer has not arrived yet, the result is false.
   *
   * @return true only if so
   */
  public boolean isOwn() {
    return own.test(entry.generation());
  }

  /**
   * Identity that made the transaction, and the time by the clock of the process that committed it.
   *
   * @return identity and time
   */
  public PersonIdent who() {
    return new PersonIdent(
        entry.name(),
        entry.email(),
        Instant.ofEpochMilli(entry.time()),
        ZoneOffset.ofTotalSeconds(entry.zone() * 60));
  }

  /**
   * Message of the reflog.
   *
   * @return message; empty for none
   */
  public String message() {
    return entry.message();
  }

  /**
   * Visits the changes, those of a large transaction without holding them all. Call it at most
   * once, and before asking for the next transaction.
   *
   * @param each receives each change, in no particular order of refs
   * @throws IOException if they cannot be read; changes visited before are valid
   * @throws IllegalStateException if the changes were visited or skipped already
   */
  public void forEachChange(Consumer<RefChange> each) throws IOException {
    changes.accept(each);
  }
}
