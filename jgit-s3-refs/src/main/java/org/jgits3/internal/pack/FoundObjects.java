// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.pack;

import org.eclipse.jgit.lib.AnyObjectId;
import org.eclipse.jgit.lib.Constants;
import org.eclipse.jgit.util.NB;

/**
 * Ids of objects, in 16 to 32 bytes each: of ids whose first eight bytes are the same, only one is
 * kept. Used by one thread.
 */
final class FoundObjects {
  private long[] table = new long[64];
  private int size;

  /** Adds an object; false if it is there already. */
  boolean add(AnyObjectId id) {
    return add(raw(id), 0);
  }

  /** Adds the object whose id is at an offset; false if it is there already. */
  boolean add(byte[] raw, int at) {
    long start = NB.decodeInt64(raw, at);
    if (start == 0 || table[slot(start)] == start) {
      return false; // a hash of eight zeros is not counted
    }
    if (2 * size >= table.length) {
      grow();
    }
    table[slot(start)] = start;
    size++;
    return true;
  }

  boolean contains(AnyObjectId id) {
    long start = NB.decodeInt64(raw(id), 0);
    return start != 0 && table[slot(start)] == start;
  }

  private static byte[] raw(AnyObjectId id) {
    byte[] raw = new byte[Constants.OBJECT_ID_LENGTH];
    id.copyRawTo(raw, 0);
    return raw;
  }

  /** Index of an id, or of the free place for it. */
  private int slot(long start) {
    int i = (int) (start >>> 33) & (table.length - 1);
    while (table[i] != 0 && table[i] != start) {
      i = (i + 1) & (table.length - 1);
    }
    return i;
  }

  private void grow() {
    long[] old = table;
    table = new long[2 * old.length];
    for (long start : old) {
      if (start != 0) {
        table[slot(start)] = start;
      }
    }
  }
}
