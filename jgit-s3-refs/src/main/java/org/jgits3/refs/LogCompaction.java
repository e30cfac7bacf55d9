// SPDX-License-Identifier: Apache-2.0
package org.jgits3.refs;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jgits3.manifest.LogEntry;
import org.jgits3.manifest.LogSegment;
import org.jgits3.manifest.Manifest;
import org.jgits3.manifest.ManifestCommitter;
import org.jgits3.manifest.Proposal;
import org.jgits3.manifest.TransactionLog;

/**
 * Moves the tail of the transaction log from the manifest to a segment, and merges segments, so
 * that the manifest lists few of them however long the history is.
 *
 * <p>Segments are kept in a geometric progression: each is at least {@value #FACTOR} times as large
 * as all newer ones together. The tail is written together with as many of the newest segments as
 * would break that rule. A segment of {@value #CAP} bytes is not rewritten any more, so a merge
 * reads at most about twice that; there are up to {@value #LISTED} segments, and of more than that
 * the two neighbours with the fewest bytes are merged whatever their size.
 *
 * <p>The new segment is uploaded first, from one pinned manifest. The commit then holds only if the
 * log still lists what was merged and still begins its tail with what was moved; entries that were
 * appended meanwhile stay in the tail.
 *
 * <p>Safe for use by many threads.
 */
final class LogCompaction {
  /** Entries of the tail that make a compaction due; about 50 kB of manifest. */
  static final int TAIL = 250;

  /** Bytes of the tail that make a compaction due, however few entries they are. */
  private static final long TAIL_BYTES = 64 << 10;

  /** See the class; with it and the cap some seven segments are smaller than the cap. */
  static final int FACTOR = 2;

  static final long CAP = 8 << 20;

  /** Segments of 110 bytes each in the manifest; in 2 GiB of log are some 30 million entries. */
  static final int LISTED = 256;

  /** About the bytes of an entry with one change in a segment. */
  private static final long ENTRY = 80;

  private final LogObjects objects;
  private final ManifestCommitter committer;

  LogCompaction(LogObjects objects, ManifestCommitter committer) {
    this.objects = objects;
    this.committer = committer;
  }

  /** Whether it pays to compact the log of a manifest. */
  static boolean due(Manifest manifest) {
    TransactionLog log = manifest.log();
    return log.tail().size() > TAIL
        || TransactionLog.approximateBytes(log.tail()) > TAIL_BYTES
        || log.segments().size() > LISTED;
  }

  /**
   * Moves the whole tail to a segment, and merges those that are due to be. Does nothing where
   * somebody else was faster.
   *
   * @param manifest manifest validated within this operation
   * @throws IOException if it could not be done; nothing is lost
   */
  void run(Manifest manifest) throws IOException {
    TransactionLog log = manifest.log();
    if (log.segments().size() > LISTED) {
      int i = smallestPair(log.segments());
      replace(manifest, new Run(i, i + 2, 0));
    } else if (!log.tail().isEmpty()) {
      int keep = segmentsToKeep(log);
      replace(manifest, new Run(keep, log.segments().size(), log.tail().size()));
    }
  }

  /**
   * Moves the tail to a segment, and merges none: for an update that waits for room in the
   * manifest.
   *
   * @param manifest manifest validated within this operation
   * @throws IOException if it could not be done; nothing is lost
   */
  void moveTail(Manifest manifest) throws IOException {
    int segments = manifest.log().segments().size();
    if (!manifest.log().tail().isEmpty()) {
      replace(manifest, new Run(segments, segments, manifest.log().tail().size()));
    }
  }

  private static int segmentsToKeep(TransactionLog log) {
    List<LogSegment> segments = log.segments();
    long newer = log.tail().size() * ENTRY;
    int keep = segments.size();
    while (keep > 0 && size(segments.get(keep - 1)) < Math.min(CAP, FACTOR * newer)) {
      keep--;
      newer += size(segments.get(keep));
    }
    return keep;
  }

  private static int smallestPair(List<LogSegment> segments) {
    int smallest = 0;
    for (int i = 1; i + 1 < segments.size(); i++) {
      if (pair(segments, i) < pair(segments, smallest)) {
        smallest = i;
      }
    }
    return smallest;
  }

  private static long pair(List<LogSegment> segments, int i) {
    return size(segments.get(i)) + size(segments.get(i + 1));
  }

  private static long size(LogSegment segment) {
    return segment.object().size();
  }

  /** Segments of a log from one number to before another; if they are the last, entries as well. */
  private record Run(int from, int to, int entries) {
    List<LogSegment> segments(TransactionLog log) {
      return log.segments().subList(from, to);
    }

    List<LogEntry> tail(TransactionLog log) {
      return log.tail().subList(0, entries);
    }

    boolean sameIn(TransactionLog log, TransactionLog pinned) {
      return log.segments().size() >= to
          && segments(log).equals(segments(pinned))
          && (entries == 0
              || (log.segments().size() == to
                  && log.tail().size() >= entries
                  && tail(log).equals(tail(pinned))));
    }

    TransactionLog replacedBy(LogSegment segment, TransactionLog log) {
      List<LogSegment> segments = new ArrayList<>(log.segments());
      segments.subList(from, to).clear();
      segments.add(from, segment);
      return new TransactionLog(segments, log.tail().subList(entries, log.tail().size()));
    }
  }

  private void replace(Manifest manifest, Run run) throws IOException {
    TransactionLog pinned = manifest.log();
    LogSegment segment = objects.writeSegment(manifest, run.segments(pinned), run.tail(pinned));
    committer.<Boolean>commit(
        base ->
            run.sameIn(base.log(), pinned)
                ? Proposal.edit(base.withLog(run.replacedBy(segment, base.log())), true)
                : Proposal.noEdit(false));
  }
}
