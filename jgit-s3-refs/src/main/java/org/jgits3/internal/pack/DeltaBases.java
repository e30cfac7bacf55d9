// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.pack;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import org.eclipse.jgit.annotations.Nullable;
import org.eclipse.jgit.errors.PackProtocolException;
import org.eclipse.jgit.lib.AnyObjectId;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.transport.PackedObjectInfo;
import org.eclipse.jgit.util.LongMap;

/**
 * Objects that JGit keeps in memory while it resolves the deltas of a pack. JGit goes from an
 * object to the first delta against it, and so on, and keeps each object on the way that has
 * further deltas. If every object has two deltas, it keeps a whole chain. Used by one thread.
 */
final class DeltaBases {
  /** Number of deltas to the object that begins at a position. */
  private final LongMap<Integer> byPosition = new LongMap<>();

  private final Map<ObjectId, Integer> byId = new HashMap<>();

  /**
   * Bases by the parts of their ids on which this map and that of JGit rest; null before the first.
   */
  @Nullable private AlikeIds hashes;

  @Nullable private AlikeIds starts;

  /** Objects with deltas left; the next delta applies to the first. */
  private final Deque<Base> kept = new ArrayDeque<>();

  private long bytes;

  private record Base(long size, int left, int depth) {}

  /** Counts a delta to the object that begins at a position. */
  void delta(long base) {
    Integer known = byPosition.get(base);
    byPosition.put(base, known == null ? 1 : known + 1);
  }

  /**
   * Counts a delta to an object of the pack or of the repository.
   *
   * @throws PackProtocolException if too many bases are alike
   */
  void delta(AnyObjectId base) throws PackProtocolException {
    if (hashes == null) {
      hashes = new AlikeIds();
      starts = new AlikeIds();
    }
    if (byId.merge(base.copy(), 1, Integer::sum) == 1) {
      hashes.addNew(base.hashCode());
      starts.addNew(AlikeIds.start(base));
    }
  }

  /**
   * Notes an object in memory that is not a delta of the pack. It may have been read before, for a
   * comparison.
   */
  void begin(PackedObjectInfo object, long size) {
    kept.clear();
    bytes = 0;
    keep(size, sum(byPosition.get(object.getOffset()), byId.get(object)), 0);
  }

  /**
   * Notes that the next delta has become an object.
   *
   * @return number of deltas between the object and one that is no delta
   */
  int resolved(PackedObjectInfo object, long size) {
    Base base = kept.pop();
    bytes -= base.size();
    keep(base.size(), base.left() - 1, base.depth());
    Integer there = byPosition.remove(object.getOffset()); // should an object be there twice,
    Integer anywhere = byId.remove(object); // JGit resolves the deltas to it once
    keep(size, sum(there, anywhere), base.depth() + 1);
    return base.depth() + 1;
  }

  private static int sum(@Nullable Integer there, @Nullable Integer anywhere) {
    return (there == null ? 0 : there) + (anywhere == null ? 0 : anywhere);
  }

  private void keep(long size, int left, int depth) {
    if (left > 0) {
      kept.push(new Base(size, left, depth));
      bytes += size;
    }
  }

  /** Bytes of all objects kept except the one that the next delta is applied to. */
  long bytesBesideNext() {
    return kept.isEmpty() ? 0 : bytes - kept.peek().size();
  }
}
