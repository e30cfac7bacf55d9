// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.refs.transaction;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.eclipse.jgit.lib.PersonIdent;
import org.jgits3.internal.refs.snapshot.RefEdits;
import org.jgits3.internal.refs.snapshot.RefView;
import org.jgits3.internal.refs.table.PackedRefsTable;
import org.jgits3.internal.refs.table.RefDelta;
import org.jgits3.manifest.RefChange;

/**
 * Changes of refs that are committed together, with their record for the log.
 *
 * @param <R> verdict
 */
@FunctionalInterface
public interface RefTransaction<R> {
  /**
   * Validates the transaction against the refs as they are, and makes its changes. Called again for
   * every state it is tried on, so it has no other effects.
   *
   * @param edits refs as they are; receives the changes
   * @return verdict and log; refusals leave {@code edits} unchanged
   * @throws IOException fails the transaction
   */
  Outcome<R> apply(RefEdits edits) throws IOException;

  /**
   * Makes all changes in one pass over very many refs, if every one of them can be made.
   *
   * @param view refs as they are
   * @return the changes; empty if one would be refused, or one pass cannot tell, so that {@link
   *     #apply} has to decide
   */
  default Optional<Complete<R>> applyAtOnce(RefView view) {
    return Optional.empty();
  }

  /**
   * A transaction that is done completely. It stays so while others change refs whose names are
   * neither among these nor directories of them, nor in them.
   *
   * @param changes what becomes of the refs; no symbolic ones
   * @param initial all refs, instead of changes, of a repository that had none
   * @param outcome verdict and log
   */
  record Complete<R>(RefDelta changes, Optional<PackedRefsTable> initial, Outcome<R> outcome) {}

  /**
   * Outcome of a transaction.
   *
   * @param verdict verdict for the caller
   * @param log records, one for each message
   */
  record Outcome<R>(R verdict, List<Logged> log) {
    /** A verdict that changes nothing. */
    public static <R> Outcome<R> unchanged(R verdict) {
      return new Outcome<>(verdict, List.of());
    }
  }

  /**
   * Record of some changes for the log.
   *
   * @param who identity; its time is ignored
   * @param message reflog message; empty for none
   * @param changes the refs
   */
  record Logged(PersonIdent who, String message, List<RefChange> changes) {}
}
