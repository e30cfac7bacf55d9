// SPDX-License-Identifier: Apache-2.0
package org.jgits3.manifest;

import java.util.List;
import java.util.stream.Stream;

/**
 * The log of all committed transactions, oldest first: segments, then the tail. An entry whose
 * changes could not be read when later ones were moved to a segment stays at the beginning of the
 * tail; its generation tells its place in the log.
 *
 * @param segments runs of entries that were moved to objects
 * @param tail the entries since then, preceded by those that were left behind
 */
public record TransactionLog(List<LogSegment> segments, List<LogEntry> tail) {
  /** Copies the lists. */
  public TransactionLog {
    segments = List.copyOf(segments);
    tail = List.copyOf(tail);
  }

  /** No transaction yet. */
  public static final TransactionLog EMPTY = new TransactionLog(List.of(), List.of());

  /** Bytes of a segment, of an entry without its texts, and of a change without its name. */
  private static final int PER_SEGMENT = 120;

  private static final int PER_ENTRY = 60;

  private static final int PER_CHANGE = 96;

  /**
   * Entries that stayed when later ones were moved to a segment.
   *
   * @return those of the tail that are not newer than all segments, oldest first
   */
  public List<LogEntry> leftBehind() {
    return tail.stream().filter(entry -> entry.generation() <= segmentsEnd()).toList();
  }

  /**
   * Entries since the newest segment.
   *
   * @return the tail without those left behind, oldest first
   */
  public List<LogEntry> newest() {
    return tail.stream().filter(entry -> entry.generation() > segmentsEnd()).toList();
  }

  private long segmentsEnd() {
    return segments.isEmpty() ? 0 : segments.get(segments.size() - 1).to();
  }

  /**
   * The objects that the log names: its segments, and the large transactions of its tail.
   *
   * @return the objects, oldest first
   */
  public Stream<StoredObject> objects() {
    return Stream.concat(
        segments.stream().map(LogSegment::object),
        tail.stream().flatMap(entry -> entry.external().stream()));
  }

  /**
   * Estimated size of this log in a manifest, computed without encoding.
   *
   * @return bytes, rather too many than too few
   */
  public long approximateBytes() {
    return (long) PER_SEGMENT * segments.size() + approximateBytes(tail);
  }

  /**
   * Estimated size of some entries in a manifest.
   *
   * @param entries entries of a tail
   * @return bytes, rather too many than too few
   */
  public static long approximateBytes(List<LogEntry> entries) {
    long bytes = 0;
    for (LogEntry e : entries) {
      bytes += PER_ENTRY + e.name().length() + e.email().length() + e.message().length();
      for (RefChange c : e.changes()) {
        bytes += PER_CHANGE + c.ref().length();
      }
    }
    return bytes;
  }
}
