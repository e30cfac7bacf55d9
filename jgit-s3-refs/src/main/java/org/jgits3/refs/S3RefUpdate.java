// SPDX-License-Identifier: Apache-2.0
package org.jgits3.refs;

import java.io.IOException;
import java.util.List;
import java.util.Objects;
import org.eclipse.jgit.annotations.Nullable;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.Ref;
import org.eclipse.jgit.lib.RefUpdate;
import org.eclipse.jgit.lib.ReflogEntry;
import org.eclipse.jgit.lib.Repository;
import org.eclipse.jgit.revwalk.RevWalk;
import org.jgits3.manifest.RefChange;
import org.jgits3.manifest.RefValue;
import org.jgits3.refs.RefTransaction.Logged;
import org.jgits3.refs.RefTransaction.Outcome;

/**
 * An update of one ref. No lock is held: what {@link RefUpdate} decides on is the value found by
 * {@link #tryLock}, and the transaction is refused if the ref has another one when it commits. Only
 * an unconditional force takes whatever it finds.
 */
final class S3RefUpdate extends RefUpdate {
  private final S3RefDatabase database;

  /** Name the update changes: the ref, or the end of its chain of symbolic refs. */
  private String target;

  private boolean deref;
  private RevWalk walk;

  S3RefUpdate(S3RefDatabase database, Ref ref) {
    super(ref);
    this.database = database;
    this.target = ref.getLeaf().getName();
  }

  @Override
  protected S3RefDatabase getRefDatabase() {
    return database;
  }

  @Override
  protected Repository getRepository() {
    return database.repository();
  }

  @Override
  protected boolean tryLock(boolean dereference) throws IOException {
    RefView view = database.validated();
    deref = dereference;
    target = dereference ? view.leaf(getName()) : getName();
    Ref now = view.exact(target);
    setOldObjectId(now != null ? now.getObjectId() : null);
    return true;
  }

  /** Nothing is held. */
  @Override
  protected void unlock() {}

  @Override
  public Result update(RevWalk borrowed) throws IOException {
    walk = borrowed;
    try {
      return super.update(borrowed);
    } finally {
      walk = null;
    }
  }

  @Override
  protected Result doUpdate(Result desired) throws IOException {
    ObjectId id = getNewObjectId();
    RefValue.Direct value = new RefValue.Direct(id, S3RefDatabase.peel(walk, id));
    return commit(
        edits -> {
          ObjectId old = current(edits);
          boolean blocked = !edits.exists(target) && edits.conflicting(target);
          if (blocked || !acceptable(edits, old)) {
            return Outcome.unchanged(Result.LOCK_FAILURE);
          }
          edits.put(target, value);
          Result result =
              old == null ? Result.NEW : desired == Result.NEW ? Result.FORCED : desired;
          return new Outcome<>(result, logged(result, old, id));
        });
  }

  @Override
  protected Result doDelete(Result desired) throws IOException {
    if (getRef().getStorage() == Ref.Storage.NEW && getOldObjectId() == null) {
      return desired;
    }
    return commit(
        edits -> {
          ObjectId old = current(edits);
          if (!acceptable(edits, old)) {
            return Outcome.unchanged(Result.LOCK_FAILURE);
          }
          edits.delete(target);
          return new Outcome<>(desired, logged(desired, old, null));
        });
  }

  @Override
  protected Result doLink(String newTarget) throws IOException {
    return commit(
        edits -> {
          ObjectId old = current(edits);
          if (!edits.exists(target) && edits.conflicting(target)) {
            return Outcome.unchanged(Result.LOCK_FAILURE);
          }
          edits.link(target, newTarget);
          Result result = getRef().getStorage() == Ref.Storage.NEW ? Result.NEW : Result.FORCED;
          return new Outcome<>(result, logged(result, old, resolve(edits, newTarget)));
        });
  }

  private Result commit(RefTransaction<Result> transaction) throws IOException {
    return database.commit(transaction, false);
  }

  /** Whether the ref is still what the decision was made on, or nobody cares. */
  private boolean acceptable(RefEdits edits, @Nullable ObjectId now) {
    if (deref && !edits.leaf(getName()).equals(target)) {
      return false;
    }
    boolean unconditional = isForceUpdate() && getExpectedOldObjectId() == null;
    return unconditional || Objects.equals(now, getOldObjectId());
  }

  @Nullable
  private ObjectId current(RefEdits edits) {
    return resolve(edits, target);
  }

  @Nullable
  private static ObjectId resolve(RefEdits edits, String name) {
    return edits.direct(edits.leaf(name)).map(RefValue.Direct::id).orElse(null);
  }

  private List<Logged> logged(Result result, @Nullable ObjectId old, @Nullable ObjectId id) {
    RefChange change = new RefChange(target, orZero(old), orZero(id));
    return List.of(
        new Logged(database.identity(getRefLogIdent()), message(result), List.of(change)));
  }

  private static ObjectId orZero(@Nullable ObjectId id) {
    return id != null ? id : ObjectId.zeroId();
  }

  private String message(Result result) {
    String message = getRefLogMessage();
    if (message == null) {
      return "";
    }
    if (!isRefLogIncludingResult()) {
      return message;
    }
    String suffix =
        switch (result) {
          case FORCED -> ReflogEntry.PREFIX_FORCED_UPDATE;
          case FAST_FORWARD -> ReflogEntry.PREFIX_FAST_FORWARD;
          case NEW -> ReflogEntry.PREFIX_CREATED;
          default -> "";
        };
    return message.isEmpty() || suffix.isEmpty() ? message + suffix : message + ": " + suffix;
  }
}
