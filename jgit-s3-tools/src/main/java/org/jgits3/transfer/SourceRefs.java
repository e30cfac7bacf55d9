// SPDX-License-Identifier: Apache-2.0
package org.jgits3.transfer;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.eclipse.jgit.lib.Constants;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.Ref;
import org.eclipse.jgit.lib.Repository;
import org.eclipse.jgit.revwalk.RevCommit;
import org.eclipse.jgit.revwalk.RevWalk;
import org.jgits3.internal.refs.S3RefDatabase;
import org.jgits3.internal.refs.table.PackedRefsTable;
import org.jgits3.internal.refs.table.RefDelta;
import org.jgits3.internal.refs.table.RefNames;
import org.jgits3.internal.refs.table.SnapshotMerge;
import org.jgits3.manifest.RefValue;

/**
 * All refs of a repository at one moment, {@code HEAD} among them. Millions of refs take the memory
 * of their table. Immutable.
 *
 * @param direct refs under {@code refs/} that are not symbolic; some peeled values may be missing
 * @param head object of a detached {@code HEAD}
 * @param symbolic target of each symbolic ref
 */
record SourceRefs(
    PackedRefsTable direct, Optional<ObjectId> head, SortedMap<String, String> symbolic) {
  SourceRefs {
    symbolic = Collections.unmodifiableSortedMap(symbolic);
  }

  /**
   * Selects the refs under {@code refs/}, and {@code HEAD}.
   *
   * @param refs refs, in any order; those that are sorted take less time
   * @throws IOException if a name is not valid
   */
  static SourceRefs of(Collection<Ref> refs) throws IOException {
    Map<String, RefValue> direct = new LinkedHashMap<>(refs.size() * 2);
    Optional<ObjectId> head = Optional.empty();
    SortedMap<String, String> symbolic = new TreeMap<>();
    for (Ref ref : refs) {
      String name = ref.getName();
      boolean isHead = name.equals(Constants.HEAD);
      if (!isHead && !name.startsWith(Constants.R_REFS)) {
        continue;
      }
      Optional<ObjectId> id = Optional.ofNullable(ref.getObjectId());
      if (ref.isSymbolic()) {
        symbolic.put(name, ref.getTarget().getName());
      } else if (isHead) {
        head = id;
      } else if (id.isPresent()) {
        check(name); // before it becomes a line of a table
        Optional<ObjectId> peeled = Optional.ofNullable(ref.getPeeledObjectId());
        direct.put(name, new RefValue.Direct(id.get(), peeled));
      }
    }
    SnapshotMerge all = new SnapshotMerge(PackedRefsTable.EMPTY, RefDelta.of(direct));
    return new SourceRefs(all.build(), head, symbolic).checked();
  }

  /**
   * Checks all names.
   *
   * @return these refs
   * @throws IOException if a name is not valid
   */
  SourceRefs checked() throws IOException {
    for (Map.Entry<String, String> link : symbolic.entrySet()) {
      check(link.getKey());
      check(link.getValue());
      if (link.getValue().equals(Constants.HEAD)) {
        throw new IOException(
            link.getKey() + ": leads to HEAD, and not to a ref under refs/; delete it");
      }
    }
    for (int i = 0; i < direct.size(); i++) {
      check(direct.name(i));
    }
    return this;
  }

  /** Checks a name, which becomes a file name when symbolic refs are exported. */
  static void check(String name) throws IOException {
    if (!name.equals(Constants.HEAD) && !Repository.isValidRefName(name)) {
      throw new IOException("'" + name + "' is not a valid name of a ref");
    }
    if (!RefNames.storable(name)) {
      throw new IOException(name + ": " + RefNames.BOUNDS);
    }
    if (name.indexOf('\ufffd') >= 0) { // stands for bytes that are not UTF-8
      throw new IOException(name + ": the name is not UTF-8; give the ref another one");
    }
  }

  /** Distinct objects that refs point to. */
  Set<ObjectId> tips() {
    Set<ObjectId> tips = direct.tips();
    head.ifPresent(tips::add);
    return tips;
  }

  /** Names of all refs. */
  Stream<String> names() {
    return Stream.of(
            head.stream().map(detached -> Constants.HEAD),
            symbolic.keySet().stream(),
            IntStream.range(0, direct.size()).mapToObj(direct::name))
        .flatMap(each -> each);
  }

  /** Id of a ref; zero if there is none, or it is symbolic. */
  ObjectId id(String name) {
    if (name.equals(Constants.HEAD)) {
      return head.orElse(ObjectId.zeroId());
    }
    int at = direct.find(name);
    return at < 0 ? ObjectId.zeroId() : direct.value(at).id();
  }

  /**
   * The refs that are not symbolic, with peeled values taken from the objects alone.
   *
   * @param walk walk over the objects
   * @return the table of these refs, or a new one if peeled values are missing or wrong
   * @throws IOException if an object cannot be read, or a branch points to another than a commit
   */
  PackedRefsTable peeled(RevWalk walk) throws IOException {
    Map<ObjectId, ObjectId> tags = new HashMap<>();
    Set<ObjectId> notCommits = new HashSet<>();
    for (ObjectId tip : tips()) {
      S3RefDatabase.peel(walk, tip).ifPresent(object -> tags.put(tip, object));
      if (!(walk.parseAny(tip) instanceof RevCommit)) {
        notCommits.add(tip);
      }
    }
    checkBranches(notCommits);
    Map<String, RefValue> mended = new HashMap<>();
    direct.forEach(
        0,
        direct.size(),
        (bytes, start, end, peeled) -> {
          if (peeled < 0 && tags.isEmpty()) {
            return;
          }
          ObjectId id = ObjectId.fromString(bytes, start);
          Optional<ObjectId> object = Optional.ofNullable(tags.get(id));
          boolean known =
              peeled < 0
                  ? object.isEmpty()
                  : object.equals(Optional.of(ObjectId.fromString(bytes, peeled)));
          if (!known) {
            int name = start + PackedRefsTable.NAME;
            mended.put(new String(bytes, name, end - name, UTF_8), new RefValue.Direct(id, object));
          }
        });
    return new SnapshotMerge(direct, RefDelta.of(mended)).build();
  }

  private void checkBranches(Set<ObjectId> notCommits) throws IOException {
    if (notCommits.isEmpty()) {
      return;
    }
    Optional<String> bad =
        names().filter(S3RefDatabase::isBranch).filter(n -> notCommits.contains(id(n))).findFirst();
    if (bad.isPresent()) {
      throw new IOException(
          bad.get()
              + " points to "
              + id(bad.get()).name()
              + ", which is no commit; delete the branch, or make it a tag");
    }
  }

  /** Tests whether these are the same refs as others. */
  boolean isSame(SourceRefs other) {
    return head.equals(other.head)
        && symbolic.equals(other.symbolic)
        && direct.hasSameRefs(other.direct);
  }

  /**
   * Tests whether these are the refs of a source.
   *
   * @param source refs of a source; any {@code HEAD} matches if the source does not tell its own
   */
  boolean areThoseOf(SourceRefs source) {
    return isSame(source) || (!source.hasHead() && withoutHead().isSame(source));
  }

  private boolean hasHead() {
    return head.isPresent() || symbolic.containsKey(Constants.HEAD);
  }

  private SourceRefs withoutHead() {
    SortedMap<String, String> others = new TreeMap<>(symbolic);
    others.remove(Constants.HEAD);
    return new SourceRefs(direct, Optional.empty(), others);
  }

  /** Number of refs, {@code HEAD} not counted. */
  int count() {
    return direct.size() + symbolic.size() - (symbolic.containsKey(Constants.HEAD) ? 1 : 0);
  }
}
