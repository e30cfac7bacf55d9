// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.pack;

import java.util.concurrent.ThreadLocalRandom;
import org.eclipse.jgit.lib.AnyObjectId;
import org.eclipse.jgit.lib.Constants;
import org.eclipse.jgit.util.NB;

/**
 * Ids of objects by eight bytes, of the id or a mix of all of it, in 16 to 32 bytes of memory each.
 * Of ids that share the eight bytes only one is kept. Used by one thread.
 */
public final class IdSet {
  /** Odd, and random, so that no client can choose ids that share places. */
  private final long factor = ThreadLocalRandom.current().nextLong() | 1;

  /** Random, for the mix. */
  private final long[] factors = ThreadLocalRandom.current().longs(2).toArray();

  private long[] table = new long[64];
  private int size;

  /**
   * Adds a part of an id.
   *
   * @param part eight bytes; 0 is never kept
   * @return false if it is there already
   */
  public boolean add(long part) {
    if (contains(part)) {
      return false;
    }
    if (2 * size >= table.length) {
      grow();
    }
    table[slot(part)] = part;
    size++;
    return true;
  }

  /**
   * Adds a whole id, of which a mix is kept that no client can predict.
   *
   * @param id the id
   * @return false if it is there already
   */
  public boolean add(AnyObjectId id) {
    byte[] raw = new byte[Constants.OBJECT_ID_LENGTH];
    id.copyRawTo(raw, 0);
    return add(
        NB.decodeInt64(raw, 0)
            + factors[0] * NB.decodeInt64(raw, Long.BYTES)
            + factors[1] * NB.decodeInt32(raw, 2 * Long.BYTES));
  }

  /** Tests whether a part of an id is there. */
  boolean contains(long part) {
    return part == 0 || table[slot(part)] == part;
  }

  /** The first eight bytes of an id. */
  static long start(AnyObjectId id) {
    byte[] raw = new byte[Constants.OBJECT_ID_LENGTH];
    id.copyRawTo(raw, 0);
    return NB.decodeInt64(raw, 0);
  }

  /** Index of a part, or of the free place for it. */
  private int slot(long part) {
    int i = (int) ((part * factor) >>> 33) & (table.length - 1);
    while (table[i] != 0 && table[i] != part) {
      i = (i + 1) & (table.length - 1);
    }
    return i;
  }

  private void grow() {
    long[] old = table;
    table = new long[2 * old.length];
    for (long part : old) {
      if (part != 0) {
        table[slot(part)] = part;
      }
    }
  }
}
