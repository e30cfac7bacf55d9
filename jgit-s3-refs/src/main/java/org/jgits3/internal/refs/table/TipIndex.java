// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.refs.table;

import java.util.Arrays;
import java.util.function.IntPredicate;
import org.eclipse.jgit.lib.AnyObjectId;

/**
 * Index from ids to the refs of a table that have them as id or peeled id: chains of refs whose ids
 * have equal hashes. Takes about ten bytes of memory for each id. Immutable.
 *
 * <p>Ids are numbered: first those of all refs, then those that refs peel to.
 */
final class TipIndex {
  private static final int END = -1;
  private static final long GOLDEN = 0x9e3779b97f4a7c15L;

  private final PackedRefsTable table;

  /** Refs with a peeled id, in order. */
  private final int[] tags;

  /** First id of the chain of each hash. */
  private final int[] heads;

  /** Id that follows each id in its chain. */
  private final int[] next;

  TipIndex(PackedRefsTable table) {
    this.table = table;
    this.tags = tags(table);
    int ids = Math.addExact(table.size(), tags.length);
    this.heads = new int[Math.max(2, Integer.highestOneBit(ids))];
    this.next = new int[ids];
    Arrays.fill(heads, END);
    for (int i = ids - 1; i >= 0; i--) {
      int hash = slot(hash(i));
      next[i] = heads[hash];
      heads[hash] = i;
    }
  }

  private static int[] tags(PackedRefsTable table) {
    int count = 0;
    for (int i = 0; i < table.size(); i++) {
      count += table.isTag(i) ? 1 : 0;
    }
    int[] tags = new int[count];
    int n = 0;
    for (int i = 0; n < count; i++) {
      if (table.isTag(i)) {
        tags[n++] = i;
      }
    }
    return tags;
  }

  private long hash(int id) {
    return id < table.size() ? table.idPrefix(id) : table.peeledPrefix(tags[id - table.size()]);
  }

  private int slot(long prefix) {
    return (int) ((prefix * GOLDEN) >>> Long.numberOfLeadingZeros(heads.length - 1L));
  }

  /**
   * Looks for a ref of an object.
   *
   * @param id the object
   * @param wanted tests the index of a ref that points to the object or a tag of it; called twice
   *     if both
   * @return true as soon as one is wanted
   */
  boolean any(AnyObjectId id, IntPredicate wanted) {
    byte[] hex = new byte[40];
    id.copyTo(hex, 0);
    for (int i = heads[slot(PackedRefsTable.prefix(hex, 0))]; i != END; i = next[i]) {
      int tag = i - table.size();
      boolean found = tag < 0 ? table.hasId(i, hex) : table.peelsTo(tags[tag], hex);
      if (found && wanted.test(tag < 0 ? i : tags[tag])) {
        return true;
      }
    }
    return false;
  }

  long bytes() {
    return 4L * (tags.length + heads.length + next.length);
  }
}
