// SPDX-License-Identifier: Apache-2.0
package org.jgits3.history;

import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.OptionalInt;

/** Finds the record of a repository in a cursor: a hash table of eight bytes a record, at most. */
final class RepositoryIds {
  private final StoreCursor cursor;
  private final int[] slots; // index of a record plus one; 0 for none

  RepositoryIds(StoreCursor cursor) {
    this.cursor = cursor;
    int size = cursor.table().size();
    this.slots = new int[Integer.highestOneBit(Math.max(1, size)) << 2];
    for (int i = 0; i < size; i++) {
      int slot = slot(cursor.idHash(i));
      while (slots[slot] != 0) {
        slot = slot(slot + 1);
      }
      slots[slot] = i + 1;
    }
  }

  /** The record of a repository; empty if there is none. */
  OptionalInt find(String repositoryId) {
    byte[] id = HexFormat.of().parseHex(repositoryId);
    int slot = slot(ByteBuffer.wrap(id).getInt());
    for (; slots[slot] != 0; slot = slot(slot + 1)) {
      if (cursor.hasId(slots[slot] - 1, id)) {
        return OptionalInt.of(slots[slot] - 1);
      }
    }
    return OptionalInt.empty();
  }

  private int slot(int random) {
    return random & (slots.length - 1);
  }
}
