// SPDX-License-Identifier: Apache-2.0
package org.jgits3.refs;

import java.io.IOException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import org.eclipse.jgit.lib.CheckoutEntry;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.PersonIdent;
import org.eclipse.jgit.lib.ReflogEntry;
import org.eclipse.jgit.lib.ReflogReader;
import org.jgits3.manifest.LogEntry;
import org.jgits3.manifest.RefChange;

/**
 * The reflog of one ref, answered from the log of transactions. It goes back to when the ref was
 * created, or created again after it had been deleted.
 */
final class TransactionReflog implements ReflogReader {
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
      log.backwards(e -> collect(e, found, max));
    }
    return found;
  }

  private boolean collect(LogEntry e, List<ReflogEntry> found, int max) {
    for (int i = e.changes().size() - 1; i >= 0; i--) {
      RefChange c = e.changes().get(i);
      if (!c.ref().equals(ref)) {
        continue;
      }
      if (c.newId().equals(ObjectId.zeroId())) {
        return false;
      }
      found.add(new Entry(e, c));
      if (found.size() == max || c.oldId().equals(ObjectId.zeroId())) {
        return false;
      }
    }
    return true;
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

    @Override
    public String getComment() {
      return transaction.message();
    }

    /** Checkouts happen in working trees; a repository in a store has none. */
    @Override
    public CheckoutEntry parseCheckout() {
      return null;
    }
  }
}
