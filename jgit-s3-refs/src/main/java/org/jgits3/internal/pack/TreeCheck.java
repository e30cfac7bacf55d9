// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.pack;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.eclipse.jgit.errors.MissingObjectException;
import org.eclipse.jgit.lib.Constants;
import org.eclipse.jgit.lib.FileMode;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.ObjectIdSubclassMap;
import org.eclipse.jgit.lib.ObjectReader;
import org.eclipse.jgit.treewalk.CanonicalTreeParser;
import org.jgits3.internal.pack.Connectivity.Collected;

/**
 * Whether all that trees lead to is there. Of a tree that is much like one that has everything only
 * the difference is looked at. Nothing is looked at twice.
 */
final class TreeCheck {
  private final ObjectReader reader;
  private final Collected collected;

  /** Trees that were looked at, or are to be. */
  private final ObjectIdSubclassMap<ObjectId> trees = new ObjectIdSubclassMap<>();

  /** Objects that files are, and that are there. Were one a tree, nobody had looked into it. */
  private final ObjectIdSubclassMap<ObjectId> files = new ObjectIdSubclassMap<>();

  private final Deque<Compared> next = new ArrayDeque<>();

  /**
   * A tree that may lead to something missing.
   *
   * @param tree the tree
   * @param complete trees of the same directory that do not
   */
  private record Compared(ObjectId tree, List<ObjectId> complete) {}

  /**
   * Of no trees yet.
   *
   * @param reader reads them; closed by the caller
   * @param collected objects that are known to lead to what is there
   */
  TreeCheck(ObjectReader reader, Collected collected) {
    this.reader = reader;
    this.collected = collected;
  }

  /**
   * Makes sure that everything is there.
   *
   * @param tree tree that may lead to something missing
   * @param complete trees of the same directory that are complete, or were checked before. Trees
   *     compared with each other would each be taken for complete because of the other one
   * @throws MissingObjectException if it, or something it leads to, is not there
   * @throws IOException if it cannot be told
   */
  void check(ObjectId tree, List<ObjectId> complete) throws IOException {
    ObjectId id = tree.copy();
    if (!complete.contains(id) && !trees.contains(id) && !collected.has(id)) {
      trees.add(id);
      next.push(new Compared(id, complete));
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
      if (known.contains(id) || collected.has(id)) {
        continue;
      }
      if (isTree && before.get().isEmpty() && moved.isEmpty()) {
        moved = Optional.of(directories(compared.complete()));
      }
      if (isTree && before.get().isEmpty() && moved.orElseThrow().contains(id)) {
        continue;
      }
      known.add(id);
      if (isTree) {
        next.push(new Compared(id, before.get()));
      } else if (!reader.has(id)) {
        throw new MissingObjectException(id, Constants.OBJ_BLOB);
      }
    }
  }

  /**
   * What complete trees have under the name of an entry. Goes on in them to where that is, as trees
   * are sorted; were one not, what it has is missed, and the entry is looked at.
   *
   * @return the directories of that name if the entry is one; empty if there is nothing to look at
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

  /** The directories in some trees. */
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
