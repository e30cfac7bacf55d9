// SPDX-License-Identifier: Apache-2.0
package org.jgits3.pack;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.eclipse.jgit.errors.MissingObjectException;
import org.eclipse.jgit.lib.Constants;
import org.eclipse.jgit.lib.FileMode;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.ObjectIdSubclassMap;
import org.eclipse.jgit.lib.ObjectReader;
import org.eclipse.jgit.treewalk.CanonicalTreeParser;
import org.jgits3.pack.Connectivity.Collected;

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
    Optional<Directory> complete = Optional.empty(); // read if there is need
    CanonicalTreeParser entries = open(compared.tree());
    for (; !entries.eof(); entries = entries.next()) {
      int mode = entries.getEntryRawMode();
      ObjectId id = entries.getEntryObjectId();
      boolean isTree = FileMode.TREE.equals(mode);
      ObjectIdSubclassMap<ObjectId> known = isTree ? trees : files;
      if (FileMode.GITLINK.equals(mode) || known.contains(id) || collected.has(id)) {
        continue;
      }
      if (complete.isEmpty()) {
        complete = Optional.of(directory(compared.complete()));
      }
      Directory before = complete.get();
      if ((isTree ? before.trees() : before.files()).contains(id)) {
        continue;
      }
      known.add(id);
      if (isTree) {
        String name = entries.getEntryPathString();
        next.push(new Compared(id, before.directories().getOrDefault(name, List.of())));
      } else if (!reader.has(id)) {
        throw new MissingObjectException(id, Constants.OBJ_BLOB);
      }
    }
  }

  /**
   * What some trees have between them.
   *
   * @param files files that are in them
   * @param trees trees that are in them
   * @param directories the same trees by name
   */
  private record Directory(
      Set<ObjectId> files, Set<ObjectId> trees, Map<String, List<ObjectId>> directories) {}

  private Directory directory(List<ObjectId> trees) throws IOException {
    Directory all = new Directory(new HashSet<>(), new HashSet<>(), new HashMap<>());
    for (ObjectId tree : trees) {
      CanonicalTreeParser entries = open(tree);
      for (; !entries.eof(); entries = entries.next()) {
        ObjectId id = entries.getEntryObjectId();
        if (FileMode.TREE.equals(entries.getEntryRawMode())) {
          String name = entries.getEntryPathString();
          all.trees().add(id);
          all.directories().computeIfAbsent(name, n -> new ArrayList<>()).add(id);
        } else if (!FileMode.GITLINK.equals(entries.getEntryRawMode())) {
          all.files().add(id);
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
