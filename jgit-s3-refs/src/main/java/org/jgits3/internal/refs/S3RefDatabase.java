// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.refs;

import java.io.IOException;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.eclipse.jgit.annotations.Nullable;
import org.eclipse.jgit.errors.MissingObjectException;
import org.eclipse.jgit.events.RefsChangedEvent;
import org.eclipse.jgit.lib.AnyObjectId;
import org.eclipse.jgit.lib.BatchRefUpdate;
import org.eclipse.jgit.lib.Constants;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.ObjectIdRef;
import org.eclipse.jgit.lib.PersonIdent;
import org.eclipse.jgit.lib.Ref;
import org.eclipse.jgit.lib.RefDatabase;
import org.eclipse.jgit.lib.RefRename;
import org.eclipse.jgit.lib.RefUpdate;
import org.eclipse.jgit.lib.ReflogReader;
import org.eclipse.jgit.lib.Repository;
import org.eclipse.jgit.lib.SymbolicRef;
import org.eclipse.jgit.revwalk.RevCommit;
import org.eclipse.jgit.revwalk.RevObject;
import org.eclipse.jgit.revwalk.RevTag;
import org.eclipse.jgit.revwalk.RevWalk;
import org.jgits3.internal.function.IoFunction;
import org.jgits3.internal.refs.snapshot.RefView;
import org.jgits3.internal.refs.transaction.ObjectPresence;
import org.jgits3.internal.refs.transaction.ObjectsDroppedException;
import org.jgits3.internal.refs.transaction.RefTransaction;
import org.jgits3.internal.refs.transaction.SharedRefs;
import org.jgits3.manifest.Refs;
import org.jgits3.store.Freshness;

/**
 * Refs of one repository handle. Look-ups rely on answers of the store that are as fresh as {@link
 * Freshness} says, every change is one transaction; results are those of JGit's {@code
 * RefDirectory}.
 *
 * <p>Fires {@link RefsChangedEvent} after its own changes, and when a look-up finds changes of
 * others. Safe for use by many threads.
 */
public final class S3RefDatabase extends RefDatabase {
  private final Repository repository;
  private final SharedRefs shared;
  private final ObjectPresence objects;
  private volatile Freshness wanted;
  private final AtomicReference<Refs> lastSeen = new AtomicReference<>();

  /** Generation of a manifest known before this handle looked for any object. */
  private final long opened;

  /** Answers since the last {@link #refresh}. */
  private volatile Freshness refreshed = Freshness.KNOWN;

  /**
   * Refs of a handle.
   *
   * @param repository the handle
   * @param shared state that all handles of the repository share
   * @param objects knowledge of the handle about objects
   * @param wanted answers of the store that look-ups rely on
   */
  public S3RefDatabase(
      Repository repository, SharedRefs shared, ObjectPresence objects, Freshness wanted) {
    this.repository = repository;
    this.shared = shared;
    this.objects = objects;
    this.wanted = wanted;
    this.opened = shared.generation();
  }

  public Repository repository() {
    return repository;
  }

  /**
   * Returns the refs as of some moment after this call began, for decisions.
   *
   * @return the refs
   * @throws IOException if they cannot be read
   */
  public RefView validated() throws IOException {
    return announced(shared.validated());
  }

  /** Newest refs known, which may be old; empty if none are in memory. */
  public Optional<RefView> known() {
    return shared.known();
  }

  /**
   * Returns the newest refs that this process knows, as of one moment. Reads from the store only a
   * table that is not in memory; look-ups in the result read nothing.
   *
   * @return the refs, which cannot be changed
   * @throws IOException if they are not in memory and cannot be read
   */
  public RefView newest() throws IOException {
    return shared.newestLoaded();
  }

  /** Refs for a look-up, validated as far as required. */
  public RefView lookup() throws IOException {
    boolean known = shared.isKnown(wanted) && shared.isKnown(refreshed);
    return announced(known ? shared.newestLoaded() : shared.validated());
  }

  /** Lets look-ups rely on the newest refs known. */
  public void relyOnKnown() {
    wanted = Freshness.KNOWN;
  }

  /**
   * Asks the store for changes of others, and fires an event if there are any.
   *
   * @throws IOException if manifest or snapshot cannot be read
   */
  public void scan() throws IOException {
    validated();
  }

  @SuppressWarnings("ReferenceEquality") // first, since comparing all entries takes long
  private RefView announced(RefView view) {
    Refs before = lastSeen.get();
    if (before != view.refs()) {
      before = lastSeen.getAndSet(view.refs());
      if (before != null && !before.equals(view.refs())) {
        repository.fireEvent(new RefsChangedEvent());
      }
    }
    return view;
  }

  /** Commits a transaction that gives refs only values that other refs have already. */
  <R> R commit(RefTransaction<R> transaction) throws IOException {
    return commitRechecked(
        Set::of, since -> shared.commit(objects, transaction, since, Optional.empty()));
  }

  /**
   * Commits a transaction that was prepared on a view, whose table need not be loaded again.
   *
   * @param tips ids that refs may point to afterwards
   */
  <R> R commit(RefTransaction<R> transaction, Set<ObjectId> tips, RefView view) throws IOException {
    return commitRechecked(
        () -> tips, since -> shared.commit(objects, transaction, since, Optional.of(view)));
  }

  /**
   * Commits a transaction of many refs.
   *
   * @param tips returns the ids that refs may point to afterwards
   */
  public <R> R commitBatch(RefTransaction<R> transaction, Supplier<Set<ObjectId>> tips, long bytes)
      throws IOException {
    return commitRechecked(tips, since -> shared.commitBatch(objects, transaction, since, bytes));
  }

  /**
   * Commits a transaction. The handle may have looked for the objects of its new values at any time
   * since it was opened. If garbage was removed since, checks again that all objects reachable from
   * them exist.
   */
  private <R> R commitRechecked(Supplier<Set<ObjectId>> tips, IoFunction<Long, R> commit)
      throws IOException {
    Refs known = shared.newest();
    long since = firstSeen(tips);
    while (true) {
      try {
        return committed(commit.apply(since), known);
      } catch (ObjectsDroppedException e) {
        since = lookAgain(e.tips());
      }
    }
  }

  /**
   * Finds a generation at which all objects reachable from the new values existed.
   *
   * <p>If no garbage was ever removed, and no other handle has packs that may be forgotten, this is
   * the generation at which the handle was opened. Otherwise the values are checked, including
   * objects that this handle has written. They may refer to an object that the handle found among
   * garbage, and that object to one that was removed before the handle was opened.
   */
  private long firstSeen(Supplier<Set<ObjectId>> tips) throws IOException {
    if (shared.dropped() == 0 && !objects.mayKnowHidden()) {
      return opened;
    }
    Set<ObjectId> ids = tips.get();
    return ids.isEmpty() ? opened : lookAgain(ids);
  }

  private long lookAgain(Set<ObjectId> ids) throws IOException {
    long generation = shared.generation(); // before any object is looked for
    try {
      objects.checkComplete(ids, newest());
    } catch (MissingObjectException e) {
      throw new IOException(
          "object "
              + e.getObjectId().name()
              + " was removed by a garbage collection, or the push that brought it was refused;"
              + " nothing was done, push again",
          e);
    }
    return generation;
  }

  /** Fires an event if refs differ from those seen, or known before the transaction. */
  private <R> R committed(R verdict, Refs known) {
    Refs now = shared.newest();
    Refs before = lastSeen.getAndSet(now);
    if (!now.equals(before != null ? before : known)) {
      repository.fireEvent(new RefsChangedEvent());
    }
    return verdict;
  }

  /** Target of a symbolic ref in the newest refs that this process knows. */
  Optional<String> newestLink(String name) {
    return Optional.ofNullable(shared.newest().symrefs().get(name));
  }

  public PersonIdent identity(@Nullable PersonIdent given) {
    return given != null ? given : new PersonIdent(repository);
  }

  /**
   * Message for the log.
   *
   * @param message message of the caller; null for none, to which no result is added
   * @param result result to be added; empty for none
   */
  static String message(@Nullable String message, String result) {
    if (message == null || result.isEmpty()) {
      return message == null ? "" : message;
    }
    return message.isEmpty() ? result : message + ": " + result;
  }

  /**
   * Writes all refs as one new snapshot, in the foreground, so that there is no recent table. Never
   * needed for correctness; changes are folded in the background when it pays.
   *
   * @throws IOException if the compaction failed, for example because other processes kept folding;
   *     nothing is lost
   */
  public void compact() throws IOException {
    shared.compact();
  }

  @Override
  public boolean performsAtomicTransactions() {
    return true;
  }

  @Override
  @Nullable
  public Ref exactRef(String name) throws IOException {
    return lookup().exactRef(name);
  }

  @Override
  public Map<String, Ref> exactRef(String... names) throws IOException {
    return names.length == 0
        ? Map.of() // as JGit asks for each fetch that names no ref
        : lookup().exactRef(names);
  }

  @Override
  @Nullable
  public Ref firstExactRef(String... names) throws IOException {
    return lookup().firstExactRef(names);
  }

  @Override
  @Deprecated
  public Map<String, Ref> getRefs(String prefix) throws IOException {
    return lookup().getRefs(prefix);
  }

  @Override
  public List<Ref> getRefsByPrefix(String prefix) throws IOException {
    return lookup().getRefsByPrefix(prefix);
  }

  @Override
  public List<Ref> getRefsByPrefix(String... prefixes) throws IOException {
    return lookup().getRefsByPrefix(prefixes);
  }

  @Override
  public List<Ref> getRefsByPrefixWithExclusions(String include, Set<String> excludes)
      throws IOException {
    return lookup().getRefsByPrefixWithExclusions(include, excludes);
  }

  @Override
  public Set<Ref> getTipsWithSha1(ObjectId id) throws IOException {
    return lookup().getTipsWithSha1(id);
  }

  @Override
  public boolean hasFastTipsWithSha1() {
    return true;
  }

  @Override
  public boolean hasRefs() throws IOException {
    return lookup().hasRefs();
  }

  /**
   * Returns no refs: a repository without a working tree has no {@code FETCH_HEAD} and the like.
   */
  @Override
  public List<Ref> getAdditionalRefs() {
    return List.of();
  }

  @Override
  public boolean isNameConflicting(String name) throws IOException {
    return validated().isNameConflicting(name);
  }

  @Override
  public Collection<String> getConflictingNames(String name) throws IOException {
    return validated().getConflictingNames(name);
  }

  /** Does nothing: a repository is created with its refs. */
  @Override
  public void create() {}

  @Override
  public void close() {}

  @Override
  public Ref peel(Ref ref) throws IOException {
    Ref leaf = ref.getLeaf();
    ObjectId id = leaf.getObjectId();
    if (leaf.isPeeled() || id == null) {
      return ref;
    }
    return replaceLeaf(ref, peeled(leaf.getStorage(), leaf.getName(), id));
  }

  private Ref peeled(Ref.Storage storage, String name, ObjectId id) throws IOException {
    try (RevWalk walk = new RevWalk(repository)) {
      Optional<ObjectId> target = peel(walk, id);
      return target.isPresent()
          ? new ObjectIdRef.PeeledTag(storage, name, id, target.get())
          : new ObjectIdRef.PeeledNonTag(storage, name, id);
    }
  }

  private static Ref replaceLeaf(Ref ref, Ref leaf) {
    return ref.isSymbolic()
        ? new SymbolicRef(ref.getName(), replaceLeaf(ref.getTarget(), leaf))
        : leaf;
  }

  /** Peels an annotated tag; empty for any other object. */
  public static Optional<ObjectId> peel(RevWalk walk, ObjectId id) throws IOException {
    RevObject object = walk.parseAny(id);
    return object instanceof RevTag ? Optional.of(walk.peel(object).copy()) : Optional.empty();
  }

  /** Tests whether a ref must point to a commit. */
  public static boolean isBranch(String name) {
    return name.startsWith(Constants.R_HEADS) || name.equals(Constants.HEAD);
  }

  /** Tests whether a ref must not point to an object: Git refuses a branch that is no commit. */
  public static boolean isBranchToOther(String name, RevWalk walk, AnyObjectId id)
      throws IOException {
    return isBranch(name) && !(walk.parseAny(id) instanceof RevCommit);
  }

  /** Makes the next look-up ask the store, unless another one asks first. */
  @Override
  public synchronized void refresh() { // so that a later call never sets an earlier moment
    refreshed = Freshness.since(System.nanoTime());
    lastSeen.compareAndSet(null, shared.newest());
  }

  @Override
  public RefUpdate newUpdate(String name, boolean detach) throws IOException {
    Ref detached = detach ? validated().exactRef(name) : null;
    // Made after the look-up: links that were found by it were made before.
    S3RefUpdate update = new S3RefUpdate(this, name);
    if (detached != null && detached.isSymbolic()) {
      update.setDetachingSymbolicRef();
    }
    return update;
  }

  @Override
  public RefRename newRename(String from, String to) throws IOException {
    return new S3RefRename(this, new S3RefUpdate(this, from), new S3RefUpdate(this, to));
  }

  @Override
  public BatchRefUpdate newBatchUpdate() {
    return new S3BatchRefUpdate(this);
  }

  @Override
  public ReflogReader getReflogReader(Ref ref) throws IOException {
    return new TransactionReflog(shared.log(), ref.getName());
  }

  public SharedRefs shared() {
    return shared;
  }
}
