// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.refs.snapshot;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jgits3.internal.refs.table.PackedRefsTable;
import org.jgits3.internal.store.read.ParallelRequests;
import org.jgits3.store.ObjectStore;
import org.jgits3.store.ReadRequest;

/**
 * Tests whether the store still has the bytes of a table. Fetches several ranges at the same time
 * and compares each as it arrives, without keeping any. Safe for use by many threads.
 *
 * <p>Ranges may be of different versions: if each of them equals the table, so does every version
 * they came from.
 */
final class SnapshotComparison {
  /** Approximate bytes of a range; more if there would be too many ranges. */
  private static final int RANGE = 8 << 20;

  /** Most ranges, so that what requests allocate does not depend on the size. */
  private static final int RANGES = 16;

  private final ObjectStore store;

  SnapshotComparison(ObjectStore store) {
    this.store = store;
  }

  /**
   * Compares a snapshot with a table.
   *
   * @param key key of the snapshot
   * @param table expected content
   * @return true if the snapshot begins with exactly the bytes of the table
   * @throws org.jgits3.store.StoreException.Missing if the store does not have it
   * @throws IOException if it cannot be read
   */
  boolean same(String key, PackedRefsTable table) throws IOException {
    AtomicBoolean differs = new AtomicBoolean();
    ParallelRequests.forEach(
        ranges(key, table),
        r -> {
          if (!differs.get() && !store.compare(r)) {
            differs.set(true);
          }
        });
    return !differs.get();
  }

  private static List<ReadRequest> ranges(String key, PackedRefsTable table) throws IOException {
    List<ReadRequest> ranges = new ArrayList<>();
    table.writeTo(
        (bytes, from, length) -> {
          int count = Math.min(RANGES, Math.max(1, Math.round((float) length / RANGE)));
          int most = (length - 1) / count + 1;
          for (int done = 0; done < length; ) {
            int n = Math.min(most, length - done);
            ranges.add(new ReadRequest(key, done, bytes, from + done, n, Optional.empty()));
            done += n;
          }
        });
    return ranges;
  }
}
