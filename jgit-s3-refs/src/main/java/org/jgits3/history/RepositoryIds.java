// SPDX-License-Identifier: Apache-2.0
package org.jgits3.history;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.OptionalInt;
import java.util.stream.IntStream;

/** Finds the record of a repository in a cursor: eight bytes a record. */
final class RepositoryIds {
  private static final long INDEX = 0xffff_ffffL;

  private final StoreCursor cursor;

  /** First bytes of each id, then the index of its record; sorted. */
  private final long[] byId;

  RepositoryIds(StoreCursor cursor) {
    this.cursor = cursor;
    this.byId =
        IntStream.range(0, cursor.table().size())
            .mapToLong(i -> first(cursor.idHash(i)) | i)
            .sorted()
            .toArray();
  }

  /** The record of a repository; empty if there is none. */
  OptionalInt find(String repositoryId) {
    long first = first(ByteBuffer.wrap(HexFormat.of().parseHex(repositoryId)).getInt());
    int at = Arrays.binarySearch(byId, first);
    return Arrays.stream(byId, at < 0 ? -at - 1 : at, byId.length)
        .takeWhile(each -> (each & ~INDEX) == first)
        .mapToInt(each -> (int) each)
        .filter(i -> cursor.entry(i).repositoryId().equals(repositoryId))
        .findFirst();
  }

  private static long first(int bytes) {
    return (long) bytes << Integer.SIZE;
  }
}
