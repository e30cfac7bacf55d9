// SPDX-License-Identifier: Apache-2.0
package org.jgits3.gerrit.index;

import com.google.common.flogger.FluentLogger;
import java.io.IOException;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;
import org.jgits3.history.RepositoryChange;
import org.jgits3.history.Transaction;
import org.jgits3.history.Transactions;

/**
 * Effects of the transactions of a project on a node: each once, in the order of first occurrence.
 * Used by one thread at a time.
 */
public final class News {
  private static final FluentLogger LOG = FluentLogger.forEnclosingClass();

  private final Set<Effect> effects = new LinkedHashSet<>();
  private final Set<Effect> own = new LinkedHashSet<>();

  /** Time of the oldest transaction of another node, in milliseconds since the epoch. */
  private long oldest = Long.MAX_VALUE;

  /** Creates news without effects. */
  public News() {}

  /**
   * Adds a change of the project in the store. If its transactions cannot be read although the
   * store answers, all of the project is to be compared.
   *
   * @param change the change
   * @param allUsers true for the project that has the accounts and groups
   * @throws IOException if the store fails
   */
  public void add(RepositoryChange change, boolean allUsers) throws IOException {
    if (change.kind() != RepositoryChange.Kind.CHANGED) {
      addEverything();
      return;
    }
    try {
      Transactions transactions = change.transactions();
      for (var next = transactions.next(); next.isPresent(); next = transactions.next()) {
        add(next.get(), change.name(), allUsers);
      }
    } catch (IOException | RuntimeException | Error e) {
      if (LocalState.isOfStore(e)) {
        throw e;
      }
      LOG.atWarning().log(
          "Following: the log of %s cannot be read, all of it is compared with the indexes: %s",
          change.name(), e);
      addEverything();
    }
  }

  private void add(Transaction transaction, String project, boolean allUsers) throws IOException {
    if (!transaction.isOwn()) {
      oldest = Math.min(oldest, transaction.who().getWhenAsInstant().toEpochMilli());
    }
    Set<Effect> to = transaction.isOwn() ? own : effects;
    transaction.forEachChange(
        ref ->
            Effect.of(project, allUsers, ref.ref(), ref.oldId(), ref.newId()).ifPresent(to::add));
  }

  /** Adds an effect. */
  public void add(Effect effect) {
    effects.add(effect);
  }

  /** Notes that all of the project has to be compared with the indexes. */
  public void addEverything() {
    effects.add(new Effect.OfProject());
  }

  /** Effects of the refs that changed elsewhere, and those that were added. */
  public Set<Effect> effects() {
    return effects;
  }

  /** Effects of the refs that this node changed, and is about to bring up to date itself. */
  public Set<Effect> own() {
    return own;
  }

  /**
   * Time of the oldest transaction of another node by the clock of its writer, in milliseconds
   * since the epoch.
   */
  public Optional<Long> oldest() {
    return oldest == Long.MAX_VALUE ? Optional.empty() : Optional.of(oldest);
  }

  /** Tests whether rights depend on one of the effects, so that caches are to be evicted. */
  public boolean isOfRights() {
    return effects.stream().anyMatch(Effect::isOfRights);
  }
}
