// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.refs;

import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.ObjectIdRef;
import org.eclipse.jgit.lib.Ref;

/**
 * Refs as a repository of Gerrit has them: for each change its notes and up to three patch sets,
 * and one branch and one annotated tag per hundred refs. A line of packed-refs has about 69 bytes.
 * The same number always gives the same refs.
 *
 * @param size how many, at least 2
 */
record GerritRefs(int size) implements RefSet {
  /** Refs per branch, and per tag. */
  private static final int PER_BRANCH = 100;

  /** Numbers of changes have seven digits. */
  private static final int FIRST_CHANGE = 1_000_000;

  private static final int MOST_PATCH_SETS = 3;

  /** Refs of three changes in a row, with two, three and one patch sets, and the notes of each. */
  private static final int OF_THREE_CHANGES = 9;

  /** One of the refs, in no order; all others need not be made for it. */
  private Ref ref(int index) {
    int onBranchesAndTags = 2 * Math.max(1, size / PER_BRANCH);
    if (index < onBranchesAndTags) {
      int i = index / 2;
      return index % 2 == 0
          ? commit(String.format("refs/heads/stable-%06d", i))
          : tag(String.format("refs/tags/v1.%d.0", i));
    }
    int i = index - onBranchesAndTags;
    int change = FIRST_CHANGE + i / OF_THREE_CHANGES * 3;
    int at = i % OF_THREE_CHANGES;
    for (int refs = refsOf(change); at >= refs; refs = refsOf(change)) {
      at -= refs;
      change++;
    }
    return commit(directory(change) + (at == 0 ? "meta" : at));
  }

  /** The notes of a change, and its patch sets. */
  private static int refsOf(int change) {
    return 2 + change % MOST_PATCH_SETS;
  }

  /** Directory of the refs of a change. */
  private static String directory(int change) {
    int shard = change % 100;
    return "refs/changes/" + shard / 10 + shard % 10 + '/' + change + '/';
  }

  private static Ref commit(String name) {
    return new ObjectIdRef.PeeledNonTag(Ref.Storage.PACKED, name, id(name));
  }

  private static Ref tag(String name) {
    return new ObjectIdRef.PeeledTag(Ref.Storage.PACKED, name, id(name), id(name + "^{}"));
  }

  /** An id that looks like any other; nothing has it. */
  private static ObjectId id(String name) {
    SplittableRandom random = new SplittableRandom(name.hashCode() * SEED);
    return ObjectId.fromRaw(
        new int[] {
          random.nextInt(), random.nextInt(), random.nextInt(), random.nextInt(), random.nextInt()
        });
  }

  /** All refs by name, made at each call. */
  @Override
  public List<Ref> all() {
    return IntStream.range(0, size)
        .mapToObj(this::ref)
        .sorted(Comparator.comparing(Ref::getName))
        .toList();
  }

  @Override
  public List<Ref> sample() {
    SplittableRandom random = new SplittableRandom(SEED);
    return IntStream.range(0, SAMPLE).mapToObj(i -> ref(random.nextInt(size))).toList();
  }
}
