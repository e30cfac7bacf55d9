// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.refs.table;

import org.jgits3.store.StoreException;

/** Tables of snapshots in memory. */
public final class ParsedRefs {
  private ParsedRefs() {}

  /** Reads a snapshot in memory, whose number of refs is known. */
  public static PackedRefsTable of(String key, byte[] bytes, long count)
      throws StoreException.Corrupt {
    PackedRefsParser.checkCount(key, bytes.length, count);
    return PackedRefsParser.parse(key, bytes, count);
  }
}
