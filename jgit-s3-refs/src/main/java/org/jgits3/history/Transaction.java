// SPDX-License-Identifier: Apache-2.0
package org.jgits3.history;

import java.io.IOException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.function.Consumer;
import org.eclipse.jgit.lib.PersonIdent;
import org.jgits3.manifest.LogEntry;
import org.jgits3.manifest.RefChange;

/**
 * A committed transaction as {@link Transactions} returns it. Several may have one generation:
 * those that were committed together, in this order. Used by one thread.
 */
public final class Transaction {
  private final LogEntry entry;
  private final Changes changes;

  /** Where the changes are; a large transaction's are read when they are asked for. */
  @FunctionalInterface
  interface Changes {
    void forEach(Consumer<RefChange> each) throws IOException;
  }

  Transaction(LogEntry entry, Changes changes) {
    this.entry = entry;
    this.changes = changes;
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
   * Who did it, and when by the clock of the process that committed it.
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
   * What the reflog says of it.
   *
   * @return message; empty for none
   */
  public String message() {
    return entry.message();
  }

  /**
   * Visits the changes, those of a large transaction without holding them all. To be called at most
   * once, and before the next transaction is asked for.
   *
   * @param each told of each change, in no particular order of refs
   * @throws IOException if they cannot be read; those visited before are right
   * @throws IllegalStateException if they were passed by already
   */
  public void forEachChange(Consumer<RefChange> each) throws IOException {
    changes.forEach(each);
  }
}
