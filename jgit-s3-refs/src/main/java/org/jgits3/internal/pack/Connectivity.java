// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.pack;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
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

/**
 * Whether everything that objects lead to is there. All that a ref leads to is, and all that an
 * object in a pack of a collection leads to, so that the walk ends where it meets one: a few
 * commits on top of some branch cost no more than these commits and what they change, however many
 * refs and files there are.
 */
final class Connectivity {
  /** Commits that are looked at without asking whether some refs lead to them as well. */
  private static final int NEAR = 1000;

  /** Refs that are read then; more would cost more than they save. */
  private static final int KNOWN = 2000;

  /** Commits that it pays to follow from there for each one that need not be looked at then. */
  private static final int PAYING = 4;

  private final int near;
  private final RefDatabase refs;
  private final Collected collected;
  private final RevWalk walk;
  private final TreeCheck trees;

  /** Commits that are not known to be complete. */
  private final List<RevCommit> commits = new ArrayList<>();

  /** Objects in packs of collections, each of which has all that its objects lead to. */
  @FunctionalInterface
  interface Collected {
    /** Whether one of them has an object. */
    boolean has(AnyObjectId id) throws IOException;
  }

  /**
   * A check.
   *
   * @param reader reads the objects; closed by the caller
   * @param refs refs all of which are known to lead to what is there
   * @param collected objects that are known to lead to what is there
   */
  Connectivity(ObjectReader reader, RefDatabase refs, Collected collected) {
    this(reader, refs, collected, NEAR);
  }

  /** A check that reads refs if there are more than some number of commits. */
  Connectivity(ObjectReader reader, RefDatabase refs, Collected collected, int near) {
    this.near = near;
    this.refs = refs;
    this.collected = collected;
    this.walk = new RevWalk(reader); // not closed: the reader is the caller's
    this.walk.setRetainBody(false);
    this.trees = new TreeCheck(reader, collected);
  }

  /**
   * Makes sure that everything is there. Called once.
   *
   * @param ids objects that may lead to something missing
   * @throws MissingObjectException if one of them, or something they lead to, is not there
   * @throws IOException if it cannot be told
   */
  void check(Collection<ObjectId> ids) throws IOException {
    find(ids);
    if (commits.size() > near) {
      leaveOut(someRefs());
    }
    for (RevCommit commit : parentsFirst()) {
      check(commit);
    }
  }

  /** Follows objects down to those that are known to be complete. */
  private void find(Collection<ObjectId> ids) throws IOException {
    Set<ObjectId> met = new HashSet<>();
    Deque<ObjectId> next = new ArrayDeque<>(ids);
    while (!next.isEmpty()) {
      ObjectId id = next.remove();
      if (met.add(id) && !isComplete(id)) {
        next.addAll(below(walk.parseAny(id)));
      }
    }
  }

  /** Takes note of an object, and says what is to be looked at because of it. */
  private List<ObjectId> below(RevObject object) throws IOException {
    if (object instanceof RevTag tag) {
      return List.of(tag.getObject().copy());
    }
    if (object instanceof RevTree tree) {
      trees.check(tree, List.of());
    }
    if (object instanceof RevCommit commit) {
      commits.add(commit);
      return Stream.of(commit.getParents()).map(RevCommit::copy).toList();
    }
    return List.of();
  }

  private boolean isComplete(ObjectId id) throws IOException {
    return collected.has(id) || !refs.getTipsWithSha1(id).isEmpty();
  }

  /**
   * Leaves out commits that known ones lead to, as those of a branch that begins at an old commit.
   * To follow the known ones takes but a part of what it takes to check commits, and ends at
   * collections too; if it comes to {@value #PAYING} times as many, it is given up. What is missing
   * there is no concern of the objects that are checked.
   */
  private void leaveOut(List<ObjectId> known) throws IOException {
    Set<ObjectId> met = new HashSet<>();
    Deque<ObjectId> next = new ArrayDeque<>();
    for (ObjectId id : known) {
      if (!collected.has(id) && met.add(id)) {
        next.add(id);
      }
    }
    long most = met.size() + (long) PAYING * commits.size();
    while (!next.isEmpty() && met.size() < most) {
      Optional<RevCommit> commit = commit(next.remove());
      if (commit.isPresent()) {
        met.add(commit.get().copy());
        for (RevCommit parent : commit.get().getParents()) {
          if (!collected.has(parent) && met.add(parent.copy())) {
            next.add(parent.copy());
          }
        }
      }
    }
    commits.removeIf(met::contains);
  }

  /**
   * The commit that an object is or leads to as a tag; empty if there is none, or it is missing.
   */
  private Optional<RevCommit> commit(ObjectId id) throws IOException {
    try {
      return walk.peel(walk.parseAny(id)) instanceof RevCommit commit
          ? Optional.of(commit)
          : Optional.empty();
    } catch (MissingObjectException e) {
      return Optional.empty();
    }
  }

  /** The commits that were met, each after those of its parents that were met too. */
  private List<RevCommit> parentsFirst() {
    List<RevCommit> ordered = new ArrayList<>(commits.size());
    Set<RevCommit> left = new HashSet<>(commits);
    Deque<RevCommit> next = new ArrayDeque<>(commits);
    while (!next.isEmpty()) {
      RevCommit commit = next.peek();
      List<RevCommit> before = Stream.of(commit.getParents()).filter(left::contains).toList();
      before.forEach(next::push);
      if (before.isEmpty()) {
        next.pop();
        if (left.remove(commit)) {
          ordered.add(commit);
        }
      }
    }
    return ordered;
  }

  /** What some refs point to. */
  private List<ObjectId> someRefs() throws IOException {
    List<Ref> all = refs.getRefs();
    return all.subList(0, Math.min(all.size(), KNOWN)).stream()
        .map(Ref::getObjectId)
        .filter(id -> id != null)
        .toList();
  }

  /** Checks what a commit has that its parents, which are complete, do not have. */
  private void check(RevCommit commit) throws IOException {
    List<ObjectId> parents = new ArrayList<>();
    for (RevCommit parent : commit.getParents()) {
      parents.add(walk.parseCommit(parent).getTree().copy());
    }
    trees.check(commit.getTree(), parents);
  }
}
