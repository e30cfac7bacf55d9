// SPDX-License-Identifier: Apache-2.0
package org.jgits3.pack;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.eclipse.jgit.errors.MissingObjectException;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.ObjectReader;
import org.eclipse.jgit.lib.Ref;
import org.eclipse.jgit.lib.RefDatabase;
import org.eclipse.jgit.revwalk.ObjectWalk;
import org.eclipse.jgit.revwalk.RevCommit;
import org.eclipse.jgit.revwalk.RevObject;
import org.eclipse.jgit.revwalk.RevTag;
import org.eclipse.jgit.revwalk.RevWalk;

/**
 * Whether everything that objects lead to is there. All that a ref leads to is, so that the walk
 * ends where it meets one: a few commits on top of some branch cost no more than these commits,
 * however many refs there are.
 */
final class Connectivity {
  /** Commits that are looked at in search of refs, before refs are read to end the walk. */
  private static final int NEAR = 1000;

  /** Refs that are read then; more would cost more than they save. */
  private static final int KNOWN = 2000;

  private final ObjectReader reader;
  private final RefDatabase refs;

  /** Commits below the objects that refs point to. */
  private final Set<ObjectId> ends = new HashSet<>();

  /**
   * A check.
   *
   * @param reader reads the objects; closed by the caller
   * @param refs refs all of which are known to lead to what is there
   */
  Connectivity(ObjectReader reader, RefDatabase refs) {
    this.reader = reader;
    this.refs = refs;
  }

  /**
   * Makes sure that everything is there.
   *
   * @param ids objects that may lead to something missing
   * @throws MissingObjectException if one of them, or something they lead to, is not there
   * @throws IOException if it cannot be told
   */
  void check(Collection<ObjectId> ids) throws IOException {
    Set<ObjectId> tips = new HashSet<>();
    for (ObjectId id : ids) {
      if (!isRef(id)) {
        tips.add(id);
      }
    }
    if (tips.isEmpty()) {
      return;
    }
    boolean near = findEnds(tips);
    ObjectWalk walk = new ObjectWalk(reader); // not closed: the reader is the caller's
    for (ObjectId tip : tips) {
      walk.markStart(walk.parseAny(tip));
    }
    for (ObjectId end : ends) {
      walk.markUninteresting(walk.parseAny(end));
    }
    if (!near) {
      List<Ref> all = refs.getRefs();
      for (Ref ref : all.subList(0, Math.min(all.size(), KNOWN))) {
        if (ref.getObjectId() != null) {
          walk.markUninteresting(walk.parseAny(ref.getObjectId()));
        }
      }
    }
    walk.checkConnectivity();
  }

  /**
   * Follows commits down to those that refs point to.
   *
   * @return false if these are too far away to find all
   */
  private boolean findEnds(Set<ObjectId> tips) throws IOException {
    RevWalk walk = new RevWalk(reader);
    Set<ObjectId> met = new HashSet<>(tips);
    Deque<ObjectId> next = new ArrayDeque<>(tips);
    while (!next.isEmpty()) {
      if (met.size() > NEAR + tips.size()) {
        return false;
      }
      RevObject object = walk.parseAny(next.remove());
      for (ObjectId below : below(object)) {
        if (!met.add(below)) {
          continue;
        }
        if (isRef(below)) {
          ends.add(below);
        } else {
          next.add(below);
        }
      }
    }
    return true;
  }

  private static List<ObjectId> below(RevObject object) {
    if (object instanceof RevTag tag) {
      return List.of(tag.getObject().copy());
    }
    if (object instanceof RevCommit commit) {
      return List.of(commit.getParents()).stream().map(RevCommit::copy).toList();
    }
    return List.of();
  }

  private boolean isRef(ObjectId id) throws IOException {
    return !refs.getTipsWithSha1(id).isEmpty();
  }
}
