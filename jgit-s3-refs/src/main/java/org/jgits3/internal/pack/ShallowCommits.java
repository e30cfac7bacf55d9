// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.pack;

import java.io.IOException;
import java.util.Collections;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.eclipse.jgit.errors.MissingObjectException;
import org.eclipse.jgit.lib.Constants;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.ObjectReader;
import org.eclipse.jgit.revwalk.RevCommit;

/**
 * Commits at which the history ends, as one handle sees and changes them.
 *
 * <p>JGit reads the whole set, and writes the whole set after a fetch has announced changes. A
 * change is therefore the difference from the set that the same thread read last, and it is applied
 * to the newest committed set. A commit stops being shallow when all objects reachable from its
 * parents are listed, and not when the fetch announces it, because the pack comes later or never.
 * Safe for use by many threads.
 */
final class ShallowCommits {
  private final SharedPacks shared;
  private final S3ObjDatabase objects;

  /** The set that each thread has read last. */
  private final Map<Thread, Set<ObjectId>> read = Collections.synchronizedMap(new WeakHashMap<>());

  /** Commits to stop being shallow once their parents are listed. */
  private final Set<ObjectId> leaving = ConcurrentHashMap.newKeySet();

  /** Commits at which walks may have ended. */
  private final Set<ObjectId> seen = ConcurrentHashMap.newKeySet();

  ShallowCommits(SharedPacks shared, S3ObjDatabase objects) {
    this.shared = shared;
    this.objects = objects;
  }

  /** The shallow commits of the newest manifest, at which walks end. */
  Set<ObjectId> listed() throws IOException {
    Set<ObjectId> listed = shared.manifest().settings().shallow();
    seen.addAll(listed);
    return listed;
  }

  /** The commits at which walks through this handle may have ended until now. */
  Set<ObjectId> seen() {
    return Set.copyOf(seen);
  }

  /** The listed ones without those that this handle has removed. */
  Set<ObjectId> get() throws IOException {
    Set<ObjectId> commits = new HashSet<>(listed());
    commits.removeAll(leaving);
    read.put(Thread.currentThread(), Set.copyOf(commits));
    return commits;
  }

  void set(Set<ObjectId> commits) throws IOException {
    Set<ObjectId> before = read.remove(Thread.currentThread());
    if (before == null) {
      before = shared.manifest().settings().shallow();
    }
    Set<ObjectId> added = without(commits, before);
    leaving.removeAll(added);
    leaving.addAll(without(before, commits));
    change(added);
  }

  private static Set<ObjectId> without(Set<ObjectId> these, Set<ObjectId> those) {
    Set<ObjectId> rest = new HashSet<>(these);
    rest.removeAll(those);
    return rest;
  }

  /** Commits the removals that have become possible after packs were listed. */
  void settle() throws IOException {
    if (!leaving.isEmpty()) {
      change(Set.of());
    }
  }

  private void change(Set<ObjectId> added) throws IOException {
    while (true) {
      long seen = shared.manifest().generation();
      Set<ObjectId> complete = complete();
      if ((added.isEmpty() && complete.isEmpty())
          || shared.changeShallowCommits(added, complete, seen)) {
        leaving.removeAll(complete);
        return;
      }
    }
  }

  /** Finds the leaving commits whose parents are listed with all objects they lead to. */
  private Set<ObjectId> complete() throws IOException {
    Set<ObjectId> complete = new HashSet<>();
    for (ObjectId id : leaving) {
      if (objects.isComplete(parents(id))) {
        complete.add(id);
      }
    }
    return complete;
  }

  /**
   * Returns the parents that a commit names; none if the commit is missing, so that no walk ends at
   * it.
   */
  private Set<ObjectId> parents(ObjectId id) throws IOException {
    try (ObjectReader reader = objects.newReader()) {
      byte[] raw = reader.open(id, Constants.OBJ_COMMIT).getCachedBytes();
      return Stream.of(RevCommit.parse(raw).getParents())
          .map(RevCommit::copy)
          .collect(Collectors.toSet());
    } catch (MissingObjectException e) {
      return Set.of();
    }
  }

  /** Commits that this handle has removed and that are still shallow in the manifest. */
  Set<ObjectId> leaving() {
    return Set.copyOf(leaving);
  }
}
