// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.refs;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.eclipse.jgit.lib.Constants;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.Ref;
import org.eclipse.jgit.lib.RefRename;
import org.eclipse.jgit.lib.RefUpdate.Result;
import org.eclipse.jgit.revwalk.RevWalk;
import org.jgits3.internal.refs.snapshot.RefEdits;
import org.jgits3.internal.refs.transaction.RefTransaction.Logged;
import org.jgits3.internal.refs.transaction.RefTransaction.Outcome;
import org.jgits3.manifest.RefChange;
import org.jgits3.manifest.RefValue;

/**
 * Renames a ref in one transaction, whatever its value is at the commit; {@code HEAD} follows if it
 * pointed to the ref. A ref that is no branch becomes one only with the commit that it points to
 * before.
 */
final class S3RefRename extends RefRename {
  private final S3RefDatabase database;

  S3RefRename(S3RefDatabase database, S3RefUpdate source, S3RefUpdate destination) {
    super(source, destination);
    this.database = database;
  }

  @Override
  protected Result doRename() throws IOException {
    if (S3RefDatabase.isBranch(source.getName())
        || !S3RefDatabase.isBranch(destination.getName())) {
      return database.commit(edits -> rename(edits, Optional.empty()));
    }
    Ref ref = database.exactRef(source.getName());
    Optional<ObjectId> id = Optional.ofNullable(ref).map(Ref::getObjectId);
    try (RevWalk walk = new RevWalk(database.repository())) {
      if (id.isPresent() && S3RefDatabase.isBranchToOther(destination.getName(), walk, id.get())) {
        return Result.REJECTED_OTHER_REASON;
      }
    }
    return database.commit(edits -> rename(edits, id));
  }

  /** Renames the ref, if it has an expected value. */
  private Outcome<Result> rename(RefEdits edits, Optional<ObjectId> expected) {
    String from = source.getName();
    String to = destination.getName();
    if (edits.symbolic(from).isPresent()) {
      return Outcome.unchanged(Result.IO_FAILURE); // as RefDirectory: not supported
    }
    Optional<RefValue.Direct> value = edits.direct(from);
    if (value.isEmpty() || edits.exists(to) || blocked(edits, from, to)) {
      return Outcome.unchanged(Result.LOCK_FAILURE);
    }
    if (expected.isPresent() && !expected.get().equals(value.get().id())) {
      return Outcome.unchanged(Result.LOCK_FAILURE);
    }
    edits.delete(from);
    edits.put(to, value.get());
    ObjectId id = value.get().id();
    List<RefChange> changes = new ArrayList<>();
    changes.add(new RefChange(from, id, ObjectId.zeroId()));
    changes.add(new RefChange(to, ObjectId.zeroId(), id).renamed(from));
    if (edits.symbolic(Constants.HEAD).filter(from::equals).isPresent()) {
      edits.link(Constants.HEAD, to);
      changes.add(
          new RefChange(Constants.HEAD, ObjectId.zeroId(), id)
              .linked(Optional.of(from), Optional.of(to)));
    }
    String message = S3RefDatabase.message(getRefLogMessage(), "");
    Logged logged = new Logged(database.identity(getRefLogIdent()), message, changes);
    return new Outcome<>(Result.RENAMED, List.of(logged));
  }

  /** Tests on separate edits whether another ref than the renamed one prevents the rename. */
  private static boolean blocked(RefEdits edits, String from, String to) {
    RefEdits trial = edits.copy();
    trial.delete(from);
    return trial.conflicting(to);
  }
}
