// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.refs.table;

import org.jgits3.store.StoreException;

/** Tables of snapshots in memory. */
public final class ParsedRefs {
  private ParsedRefs() {}

  /** Reads a snapshot in memory, whose number of refs is known. */
  public static PackedRefsTable of(String key, byte[] bytes, long count)
      throws StoreException.Corrupt {
    SnapshotLines lines = new SnapshotLines(key, bytes.length, count);
    lines.add(PackedRefsParser.of(key, 0, bytes, lines.skipHeader(bytes), bytes.length));
    return lines.end(bytes);
  }
}
