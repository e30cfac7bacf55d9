// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.pack.connectivity;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.eclipse.jgit.errors.IncorrectObjectTypeException;
import org.eclipse.jgit.errors.MissingObjectException;
import org.eclipse.jgit.lib.Constants;
import org.eclipse.jgit.lib.FileMode;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.ObjectIdSubclassMap;
import org.eclipse.jgit.lib.ObjectReader;
import org.eclipse.jgit.treewalk.CanonicalTreeParser;
import org.jgits3.internal.pack.check.ReachableObjects.BlobTest;
import org.jgits3.internal.pack.connectivity.Connectivity.Collected;

/**
 * Checks that all objects reachable from trees exist, and are what the trees call them. Of a tree
 * that resembles a complete one, reads only the differences. Reads no object twice.
 */
final class TreeCheck {
  private final ObjectReader reader;
  private final Collected collected;
  private final BlobTest blobs;

  /** Trees that were read, or are queued. */
  private final ObjectIdSubclassMap<ObjectId> trees = new ObjectIdSubclassMap<>();

  /** Blobs that exist. Kept apart from trees: an object seen as a file has not been looked into. */
  private final ObjectIdSubclassMap<ObjectId> files = new ObjectIdSubclassMap<>();

  private final Deque<Compared> next = new ArrayDeque<>();

  /**
   * A tree that may lead to a missing object.
   *
   * @param tree the tree
   * @param complete trees of the same directory that are complete
   */
  private record Compared(ObjectId tree, List<ObjectId> complete) {}

  /**
   * Creates a check that has read no trees yet.
   *
   * @param reader reads them; closed by the caller
   * @param collected objects that are known to be complete
   * @param blobs tells blobs from other objects
   */
  TreeCheck(ObjectReader reader, Collected collected, BlobTest blobs) {
    this.reader = reader;
    this.collected = collected;
    this.blobs = blobs;
  }

  /**
   * Checks a tree.
   *
   * @param tree tree that may lead to a missing object
   * @param complete trees of the same directory that are complete, or were checked before. Never
   *     compare two unchecked trees with each other: each would count as complete because of the
   *     other
   * @throws MissingObjectException if it, or an object it leads to, is missing
   * @throws IncorrectObjectTypeException if one has another type than the tree says that names it
   * @throws IOException if objects cannot be read
   */
  void check(ObjectId tree, List<ObjectId> complete) throws IOException {
    ObjectId id = tree.copy();
    if (!complete.contains(id) && !trees.contains(id)) {
      trees.add(id);
      found(id, complete);
    }
    while (!next.isEmpty()) {
      entries(next.pop());
    }
  }

  private void entries(Compared compared) throws IOException {
    List<CanonicalTreeParser> complete = new ArrayList<>();
    for (ObjectId tree : compared.complete()) {
      complete.add(open(tree));
    }
    Optional<Set<ObjectId>> moved = Optional.empty(); // read if there is need
    for (CanonicalTreeParser entry = open(compared.tree()); !entry.eof(); entry.next(1)) {
      Optional<List<ObjectId>> before = before(entry, complete);
      if (before.isEmpty()) {
        continue;
      }
      ObjectId id = entry.getEntryObjectId();
      boolean isTree = FileMode.TREE.equals(entry.getEntryRawMode());
      ObjectIdSubclassMap<ObjectId> known = isTree ? trees : files;
      if (known.contains(id)) {
        continue;
      }
      if (isTree && before.get().isEmpty() && moved.isEmpty()) {
        moved = Optional.of(directories(compared.complete()));
      }
      if (isTree && before.get().isEmpty() && moved.orElseThrow().contains(id)) {
        continue;
      }
      known.add(id);
      if (!isTree && !blobs.isBlob(id)) {
        throw new IncorrectObjectTypeException(id, Constants.OBJ_BLOB);
      }
      if (isTree) {
        found(id, before.get());
      }
    }
  }

  /** Continues with a tree, unless all that it leads to is known to be complete. */
  private void found(ObjectId tree, List<ObjectId> complete) throws IOException {
    if (collected.has(tree)) {
      reader.open(tree, Constants.OBJ_TREE); // it may be another object than a tree
    } else {
      next.push(new Compared(tree, complete));
    }
  }

  /**
   * Finds the entries of complete trees with the name of an entry, by advancing in them, since
   * trees are sorted. In a tree that is not sorted the name may be missed; the entry is then read.
   *
   * @return the directories of that name if the entry is one; empty if the entry need not be read
   */
  private static Optional<List<ObjectId>> before(
      CanonicalTreeParser entry, List<CanonicalTreeParser> complete) {
    if (FileMode.GITLINK.equals(entry.getEntryRawMode())) {
      return Optional.empty();
    }
    List<ObjectId> directories = List.of();
    for (CanonicalTreeParser other : complete) {
      while (!other.eof() && other.pathCompare(entry) < 0) {
        other.next(1);
      }
      if (other.eof()
          || other.pathCompare(entry) > 0
          || FileMode.GITLINK.equals(other.getEntryRawMode())) {
        continue;
      }
      if (other.idEqual(entry)) {
        return Optional.empty();
      }
      if (FileMode.TREE.equals(entry.getEntryRawMode())) {
        directories = new ArrayList<>(directories);
        directories.add(other.getEntryObjectId());
      }
    }
    return Optional.of(directories);
  }

  /** Returns the directories in some trees. */
  private Set<ObjectId> directories(List<ObjectId> trees) throws IOException {
    Set<ObjectId> all = new HashSet<>();
    for (ObjectId tree : trees) {
      for (CanonicalTreeParser entry = open(tree); !entry.eof(); entry.next(1)) {
        if (FileMode.TREE.equals(entry.getEntryRawMode())) {
          all.add(entry.getEntryObjectId());
        }
      }
    }
    return all;
  }

  private CanonicalTreeParser open(ObjectId tree) throws IOException {
    CanonicalTreeParser parser = new CanonicalTreeParser();
    parser.reset(reader, tree);
    return parser;
  }
}
