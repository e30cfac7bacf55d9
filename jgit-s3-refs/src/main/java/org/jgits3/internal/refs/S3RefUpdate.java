// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.refs;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.eclipse.jgit.annotations.Nullable;
import org.eclipse.jgit.errors.MissingObjectException;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.ObjectIdRef;
import org.eclipse.jgit.lib.Ref;
import org.eclipse.jgit.lib.RefDatabase;
import org.eclipse.jgit.lib.RefUpdate;
import org.eclipse.jgit.lib.ReflogEntry;
import org.eclipse.jgit.lib.Repository;
import org.eclipse.jgit.revwalk.RevWalk;
import org.jgits3.internal.function.IoSupplier;
import org.jgits3.internal.refs.snapshot.RefEdits;
import org.jgits3.internal.refs.snapshot.RefView;
import org.jgits3.internal.refs.transaction.RefTransaction;
import org.jgits3.internal.refs.transaction.RefTransaction.Logged;
import org.jgits3.internal.refs.transaction.RefTransaction.Outcome;
import org.jgits3.manifest.RefChange;
import org.jgits3.manifest.RefValue;

/**
 * Update of one ref. No lock is held: {@link RefUpdate} decides on the refs of one view, and the
 * transaction is refused if the ref has another value when it commits. Only an unconditional force
 * accepts any value.
 *
 * <p>The first view is the newest that this process knows, because the conditional write verifies
 * that nothing has changed since. An update that succeeds on it takes one request. Any other result
 * on that view is discarded, and the update is decided again on refs that were validated after the
 * call began.
 */
final class S3RefUpdate extends RefUpdate {
  private final S3RefDatabase database;
  private final String name;

  /** Target of the ref, if it was symbolic when the update was created. */
  private final Optional<String> linked;

  /** Refs on which the update is decided; null before the first decision. */
  @Nullable private RefView view;

  /** The ref in the view, or as {@link #getRef} has looked it up; null before either. */
  @Nullable private Ref ref;

  /** True if the refs may have changed since the view, so that only a success counts. */
  private boolean assumed;

  /** Verdict of the transaction; empty if the decision needed none. */
  private Optional<Verdict> verdict = Optional.empty();

  /** Name the update changes: the ref, or the end of its chain of symbolic refs. */
  private String target;

  private boolean deref;
  private RevWalk walk;

  /**
   * Outcome of a transaction.
   *
   * @param result its result
   * @param replaced value the ref had before, null for none, or for a refusal
   */
  private record Verdict(Result result, @Nullable ObjectId replaced) {}

  /**
   * Creates an update of a ref.
   *
   * @param database the refs
   * @param name full name
   */
  S3RefUpdate(S3RefDatabase database, String name) {
    super(missing(name));
    this.database = database;
    this.name = name;
    this.linked = database.newestLink(name);
  }

  private static Ref missing(String name) {
    return new ObjectIdRef.Unpeeled(Ref.Storage.NEW, name, null);
  }

  @Override
  public String getName() {
    return name;
  }

  /**
   * The ref as it was before the update or, if it was not attempted yet, as a look-up finds it.
   *
   * @return the ref
   * @throws UncheckedIOException if the look-up fails
   */
  @Override
  public Ref getRef() {
    if (ref == null) {
      try {
        found(database.exactRef(name));
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
    return ref;
  }

  /**
   * The value of the ref before the update or, if it was not attempted yet, as a look-up finds it.
   *
   * @return the value; null if there is none
   * @throws UncheckedIOException if the look-up fails
   */
  @Override
  @Nullable
  public ObjectId getOldObjectId() {
    getRef();
    return super.getOldObjectId();
  }

  private void found(@Nullable Ref now) {
    ref = now != null ? now : missing(name);
    setOldObjectId(ref.getObjectId());
  }

  @Override
  protected RefDatabase getRefDatabase() {
    return view != null ? view : database;
  }

  @Override
  protected Repository getRepository() {
    return database.repository();
  }

  @Override
  public Result update(RevWalk borrowed) throws IOException {
    walk = borrowed;
    try {
      return decide(() -> super.update(borrowed));
    } finally {
      walk = null;
    }
  }

  @Override
  public Result delete(RevWalk borrowed) throws IOException {
    return decide(() -> super.delete(borrowed));
  }

  /**
   * Makes this a symbolic ref. Fails with {@code LOCK_FAILURE} if the ref was linked elsewhere
   * since this update was created, as in other DFS repositories, or if the ref does not lead to the
   * {@linkplain #setExpectedOldObjectId expected} object at the commit.
   */
  @Override
  public Result link(String newTarget) throws IOException {
    return database.newestLink(name).equals(linked)
        ? decide(() -> super.link(newTarget))
        : Result.LOCK_FAILURE;
  }

  private Result decide(IoSupplier<Result> decision) throws IOException {
    // Detaching was decided when the update was created, from the ref as it was at that time.
    Optional<RefView> known = isDetachingSymbolicRef() ? Optional.empty() : database.known();
    if (known.isPresent()) {
      begin(known.get(), true);
      Optional<Result> result = attempt(decision);
      if (result.isPresent()) {
        return result.get();
      }
    }
    // A refused transaction has been tried on refs that are recent enough.
    Optional<RefView> recent = verdict.isPresent() ? database.known() : Optional.empty();
    begin(recent.isPresent() ? recent.get() : database.validated(), false);
    return decision.get();
  }

  private void begin(RefView next, boolean mayBeOld) {
    view = next;
    assumed = mayBeOld;
    verdict = Optional.empty();
    found(next.exactRef(name));
  }

  /** Decides on refs that may be old; empty if the result must not be used. */
  private Optional<Result> attempt(IoSupplier<Result> decision) throws IOException {
    try {
      Result result = decision.get();
      return Optional.of(result).filter(r -> verdict.isPresent() && r != Result.LOCK_FAILURE);
    } catch (MissingObjectException e) {
      return Optional.empty();
    }
  }

  @Override
  protected boolean tryLock(boolean dereference) {
    deref = dereference;
    target = dereference ? view.leaf(name) : name;
    Ref now = view.exactRef(target);
    setOldObjectId(now != null ? now.getObjectId() : null);
    return true;
  }

  /** Does nothing: no lock is held. */
  @Override
  protected void unlock() {}

  @Override
  protected Result doUpdate(Result desired) throws IOException {
    ObjectId id = getNewObjectId();
    if (S3RefDatabase.isBranchToOther(target, walk, id)) {
      return Result.REJECTED_OTHER_REASON;
    }
    RefValue.Direct value = new RefValue.Direct(id, S3RefDatabase.peel(walk, id));
    return commit(
        Set.of(id),
        edits -> {
          ObjectId old = current(edits);
          boolean blocked = !edits.exists(target) && edits.conflicting(target);
          if (blocked || !acceptable(edits, old)) {
            return refused();
          }
          edits.put(target, value);
          Result result =
              old == null ? Result.NEW : desired == Result.NEW ? Result.FORCED : desired;
          return done(edits, result, old, id);
        });
  }

  @Override
  protected Result doDelete(Result desired) throws IOException {
    if (getRef().getStorage() == Ref.Storage.NEW && getOldObjectId() == null) {
      return desired;
    }
    return commit(
        Set.of(),
        edits -> {
          ObjectId old = current(edits);
          if (!acceptable(edits, old)) {
            return refused();
          }
          edits.delete(target);
          return done(edits, desired, old, null);
        });
  }

  @Override
  protected Result doLink(String newTarget) throws IOException {
    return commit(
        Set.of(),
        edits -> {
          ObjectId old = current(edits);
          boolean blocked = !edits.exists(target) && edits.conflicting(target);
          if (blocked || !isExpected(old) || (assumed && !sameItself(edits))) {
            return refused();
          }
          edits.link(target, newTarget);
          Result result = getRef().getStorage() == Ref.Storage.NEW ? Result.NEW : Result.FORCED;
          List<RefChange> changes = changes(edits, old, resolve(edits, newTarget));
          return new Outcome<>(
              new Verdict(result, old),
              logged(S3RefDatabase.message(getRefLogMessage(), ""), changes));
        });
  }

  private Result commit(Set<ObjectId> tips, RefTransaction<Verdict> transaction)
      throws IOException {
    Verdict came = database.commit(transaction, tips, view);
    verdict = Optional.of(came);
    if (came.result() != Result.LOCK_FAILURE) {
      setOldObjectId(came.replaced());
    }
    return came.result();
  }

  private static Outcome<Verdict> refused() {
    return Outcome.unchanged(new Verdict(Result.LOCK_FAILURE, null));
  }

  private Outcome<Verdict> done(
      RefEdits edits, Result result, @Nullable ObjectId old, @Nullable ObjectId id) {
    return new Outcome<>(
        new Verdict(result, old), logged(message(result), changes(edits, old, id)));
  }

  /** Tests whether the ref still has the value of the decision, or the caller accepts any value. */
  private boolean acceptable(RefEdits edits, @Nullable ObjectId now) {
    if (deref && !edits.leaf(name).equals(target)) {
      return false;
    }
    boolean unconditional = !assumed && isForceUpdate() && getExpectedOldObjectId() == null;
    return unconditional || Objects.equals(now, getOldObjectId());
  }

  private boolean isExpected(@Nullable ObjectId now) {
    ObjectId expected = getExpectedOldObjectId();
    return expected == null || expected.equals(orZero(now));
  }

  /** Tests whether the ref itself, not its target, is still as it was at the decision. */
  private boolean sameItself(RefEdits edits) {
    return edits.symbolic(name).equals(view.symbolic(name))
        && edits.direct(name).equals(view.direct(name));
  }

  @Nullable
  private ObjectId current(RefEdits edits) {
    return resolve(edits, target);
  }

  @Nullable
  private static ObjectId resolve(RefEdits edits, String name) {
    return edits.direct(edits.leaf(name)).map(RefValue.Direct::id).orElse(null);
  }

  /** Changes for the log; an update through a symbolic ref is logged under both names. */
  private List<RefChange> changes(RefEdits edits, @Nullable ObjectId old, @Nullable ObjectId id) {
    RefView before = edits.before();
    RefChange change =
        new RefChange(target, orZero(old), orZero(id))
            .linked(before.symbolic(target), edits.symbolic(target));
    if (target.equals(name) || id == null) {
      return List.of(change);
    }
    Optional<String> link = before.symbolic(name);
    return List.of(change, new RefChange(name, orZero(old), id).linked(link, link));
  }

  private List<Logged> logged(String message, List<RefChange> changes) {
    return List.of(new Logged(database.identity(getRefLogIdent()), message, changes));
  }

  private static ObjectId orZero(@Nullable ObjectId id) {
    return id != null ? id : ObjectId.zeroId();
  }

  private String message(Result result) {
    String suffix =
        switch (result) {
          case FORCED -> ReflogEntry.PREFIX_FORCED_UPDATE;
          case FAST_FORWARD -> ReflogEntry.PREFIX_FAST_FORWARD;
          case NEW -> ReflogEntry.PREFIX_CREATED;
          default -> "";
        };
    return S3RefDatabase.message(getRefLogMessage(), isRefLogIncludingResult() ? suffix : "");
  }
}
