// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.pack.connectivity;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.eclipse.jgit.annotations.Nullable;
import org.eclipse.jgit.errors.MissingObjectException;
import org.eclipse.jgit.lib.AnyObjectId;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.ObjectReader;
import org.eclipse.jgit.lib.Ref;
import org.eclipse.jgit.lib.RefDatabase;
import org.eclipse.jgit.revwalk.RevCommit;
import org.eclipse.jgit.revwalk.RevObject;
import org.eclipse.jgit.revwalk.RevTag;
import org.eclipse.jgit.revwalk.RevTree;
import org.eclipse.jgit.revwalk.RevWalk;
import org.jgits3.internal.pack.check.ReachableObjects.BlobTest;
import org.jgits3.internal.refs.snapshot.RefView;

/**
 * Checks that all objects reachable from given ones exist, and have the types that commits, tags
 * and trees say. The walk ends at an object that is known to be complete: a ref points to it, or it
 * is in a pack of a collection. Checking a few commits on top of a branch therefore reads only
 * these commits and their changes, whatever the number of refs and files.
 */
public final class Connectivity {
  /**
   * Maximum number of commits that are checked without reading refs. For more, some refs are read,
   * and commits reachable from them are left out.
   */
  private static final int NEAR = 1000;

  /** Maximum number of refs read then; more would cost more than they save. */
  private static final int KNOWN = 2000;

  /** Number of commits reachable from refs that may be walked for each commit to check. */
  private static final int PAYING = 4;

  private final int near;
  private final RefDatabase refs;
  private final Collected collected;
  private final RevWalk walk;
  private final TreeCheck trees;

  /** Commits that are not known to be complete, parents before children. */
  private final Set<RevCommit> commits = new LinkedHashSet<>();

  /** Objects in packs of collections; each collection has all objects reachable from its own. */
  @FunctionalInterface
  public interface Collected {
    /** Tests whether a collection has an object. */
    boolean has(AnyObjectId id) throws IOException;
  }

  /**
   * Creates a check.
   *
   * @param reader reads the objects; closed by the caller
   * @param refs refs that are known to be complete
   * @param collected objects that are known to be complete
   * @param blobs tells blobs from other objects
   */
  public Connectivity(ObjectReader reader, RefDatabase refs, Collected collected, BlobTest blobs) {
    this(reader, refs, collected, blobs, NEAR);
  }

  /** Creates a check that reads refs if there are more than {@code near} commits. */
  Connectivity(
      ObjectReader reader, RefDatabase refs, Collected collected, BlobTest blobs, int near) {
    this.near = near;
    this.refs = refs;
    this.collected = collected;
    this.walk = new RevWalk(reader); // not closed: the reader is the caller's
    this.walk.setRetainBody(false);
    this.trees = new TreeCheck(reader, collected, blobs);
  }

  /**
   * Checks that no object is missing, or of another type. Called once.
   *
   * @param ids objects to begin with
   * @throws MissingObjectException if one of them, or an object reachable from them, is missing
   * @throws org.eclipse.jgit.errors.IncorrectObjectTypeException if one has another type than the
   *     object says that names it
   * @throws IOException if objects cannot be read
   */
  public void check(Collection<ObjectId> ids) throws IOException {
    find(ids);
    if (commits.size() > near) {
      leaveOut(someRefs());
    }
    for (RevCommit commit : commits) {
      check(commit);
    }
  }

  /** Follows objects down to those known to be complete, and notes commits on the way back. */
  private void find(Collection<ObjectId> ids) throws IOException {
    Map<ObjectId, RevObject> met = new HashMap<>(); // with null for those known to be complete
    Deque<ObjectId> next = new ArrayDeque<>(ids);
    while (!next.isEmpty()) {
      ObjectId id = next.peek();
      if (met.containsKey(id)) {
        next.pop();
        if (met.get(id) instanceof RevCommit commit) {
          commits.add(commit);
        }
      } else {
        RevObject object = isComplete(id) ? null : walk.parseAny(id);
        met.put(id, object);
        below(object).forEach(next::push);
      }
    }
  }

  /** Checks a tree; of a commit or tag, returns the objects to check before it. */
  private List<ObjectId> below(@Nullable RevObject object) throws IOException {
    if (object instanceof RevTag tag) {
      return List.of(tag.getObject().copy());
    }
    if (object instanceof RevTree tree) {
      trees.check(tree, List.of());
    }
    if (object instanceof RevCommit commit) {
      return Stream.of(commit.getParents()).map(RevCommit::copy).toList();
    }
    return List.of();
  }

  private boolean isComplete(ObjectId id) throws IOException {
    return collected.has(id) || isTip(id);
  }

  /** Tests whether a ref points to an object, if possible without finding all that do. */
  private boolean isTip(ObjectId id) throws IOException {
    return refs instanceof RefView view
        ? view.anyTip(id, name -> true)
        : !refs.getTipsWithSha1(id).isEmpty();
  }

  /**
   * Removes commits that are reachable from known ones. A branch that begins at an old commit has
   * many of them. Walking a commit is much cheaper than checking it. The walk ends at collections,
   * and after {@value #PAYING} times as many commits as there are to check. An object that is
   * missing on the walk does not fail the check.
   */
  private void leaveOut(List<ObjectId> known) throws IOException {
    Set<ObjectId> met = new HashSet<>();
    Deque<ObjectId> next = new ArrayDeque<>(known);
    long most = known.size() + (long) PAYING * commits.size();
    while (!next.isEmpty() && met.size() < most) {
      ObjectId id = next.remove();
      Optional<RevCommit> commit =
          met.add(id) && !collected.has(id) ? commit(id) : Optional.empty();
      if (commit.isPresent()) {
        met.add(commit.get().copy());
        Stream.of(commit.get().getParents()).map(RevCommit::copy).forEach(next::add);
      }
    }
    commits.removeIf(met::contains);
  }

  /** Peels an object to a commit; empty if it is none, or it is missing. */
  private Optional<RevCommit> commit(ObjectId id) throws IOException {
    try {
      return walk.peel(walk.parseAny(id)) instanceof RevCommit commit
          ? Optional.of(commit)
          : Optional.empty();
    } catch (MissingObjectException e) {
      return Optional.empty();
    }
  }

  /** Ids of some refs. */
  private List<ObjectId> someRefs() throws IOException {
    return refs.getRefs().stream()
        .limit(KNOWN)
        .map(Ref::getObjectId)
        .filter(id -> id != null)
        .toList();
  }

  /** Checks the objects of a commit that its parents, which are complete, do not have. */
  private void check(RevCommit commit) throws IOException {
    List<ObjectId> parents = new ArrayList<>();
    for (RevCommit parent : commit.getParents()) {
      parents.add(walk.parseCommit(parent).getTree().copy());
    }
    trees.check(commit.getTree(), parents);
  }
}
