// SPDX-License-Identifier: Apache-2.0
package org.jgits3.manifest;

import java.util.List;

/**
 * The log of all committed transactions, oldest first: segments, then the tail.
 *
 * @param segments runs of entries that were moved to objects
 * @param tail the entries since
 */
public record TransactionLog(List<LogSegment> segments, List<LogEntry> tail) {
  /** Copies the lists. */
  public TransactionLog {
    segments = List.copyOf(segments);
    tail = List.copyOf(tail);
  }

  /** No transaction yet. */
  public static final TransactionLog EMPTY = new TransactionLog(List.of(), List.of());
}
