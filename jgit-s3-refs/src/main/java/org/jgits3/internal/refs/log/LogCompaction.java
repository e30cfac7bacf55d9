// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.refs.log;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.jgits3.internal.commit.ManifestCommitter;
import org.jgits3.internal.commit.Replacement;
import org.jgits3.manifest.LogEntry;
import org.jgits3.manifest.LogSegment;
import org.jgits3.manifest.Manifest;
import org.jgits3.manifest.TransactionLog;
import org.jgits3.metrics.Count;
import org.jgits3.metrics.Counters;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Moves the tail of the transaction log from the manifest to a segment, and merges segments, so
 * that the manifest lists few of them however long the history is.
 *
 * <p>Segments are kept in a geometric progression: each is at least {@value #FACTOR} times as large
 * as all newer ones together. The tail is written together with as many of the newest segments as
 * would break that rule. A segment of {@value #CAP} bytes is no longer rewritten, so a merge reads
 * at most about twice that. If there are more than {@value #LISTED} segments, the two neighbours
 * with the fewest bytes are merged, whatever their size.
 *
 * <p>The new segment is uploaded first, from one manifest. The commit succeeds only if the log
 * still lists the merged segments and its tail still begins with the moved entries; entries that
 * were appended meanwhile stay in the tail.
 *
 * <p>A damaged or missing object stays listed and is logged once: a damaged segment is never
 * merged, and a large transaction with damaged changes stays in the tail while later ones are
 * moved.
 *
 * <p>Safe for use by many threads.
 */
public final class LogCompaction {
  private static final Logger LOG = LoggerFactory.getLogger(LogCompaction.class);

  /** See the class; with it and the cap some seven segments are smaller than the cap. */
  static final int FACTOR = 2;

  static final long CAP = 8 << 20;

  /** Segments of 110 bytes each in the manifest; in 2 GiB of log are some 30 million entries. */
  static final int LISTED = 256;

  /** About the bytes of an entry with one change in a segment. */
  private static final long ENTRY = 80;

  /** Segments out of the progression, beside the tail, that make a merge due. */
  private static final int UNMERGED = 8;

  private final LogObjects objects;
  private final ManifestCommitter committer;
  private final Counters counters;

  /** Ids of objects that could not be read, each named once. */
  private final Set<String> damaged = ConcurrentHashMap.newKeySet();

  public LogCompaction(LogObjects objects, ManifestCommitter committer, Counters counters) {
    this.objects = objects;
    this.committer = committer;
    this.counters = counters;
  }

  /** Tests whether segments of the log of a manifest are to be merged, whatever its tail has. */
  public boolean due(Manifest manifest) {
    TransactionLog log = manifest.log();
    return log.segments().size() - segmentsToKeep(log) > UNMERGED
        || (log.segments().size() > LISTED && smallestPair(log.segments()).isPresent());
  }

  /**
   * Moves the whole tail to a segment, and merges those that are due to be. Does nothing if another
   * process was faster.
   *
   * @param manifest manifest validated within this operation
   * @throws IOException if the compaction failed; nothing is lost
   */
  public void run(Manifest manifest) throws IOException {
    replace(manifest, this::merging);
  }

  /**
   * Copies all segments of a template into one segment of its fork.
   *
   * @throws DamagedLogException if one cannot be read
   * @throws IOException if the copy failed; nothing is lost
   */
  public void copy() throws IOException {
    Manifest manifest = committer.validate().manifest();
    for (int of = ofTemplate(manifest); of > 0; of = ofTemplate(manifest)) {
      commit(manifest, new Run(0, of, List.of()));
      manifest = committer.validate().manifest();
    }
  }

  /** Number of segments up to the last that is stored under the id of a template. */
  private static int ofTemplate(Manifest manifest) {
    List<LogSegment> segments = manifest.log().segments();
    int number = segments.size();
    while (number > 0 && manifest.isOwn(segments.get(number - 1).object().id())) {
      number--;
    }
    return number;
  }

  private Run merging(TransactionLog log) {
    if (log.segments().size() > LISTED) {
      OptionalInt pair = smallestPair(log.segments());
      if (pair.isPresent()) {
        return new Run(pair.getAsInt(), pair.getAsInt() + 2, List.of());
      }
    }
    return new Run(segmentsToKeep(log), log.segments().size(), movable(log));
  }

  /**
   * Moves the tail to a segment, and merges none: for an update that waits for room in the
   * manifest.
   *
   * @param manifest manifest validated within this operation
   * @throws IOException if the move failed; nothing is lost
   */
  public void moveTail(Manifest manifest) throws IOException {
    int segments = manifest.log().segments().size();
    replace(manifest, log -> new Run(segments, segments, movable(log)));
  }

  /** Estimates the bytes of a manifest that {@link #moveTail} moves. */
  public long movableBytes(Manifest manifest) {
    return TransactionLog.approximateBytes(movable(manifest.log()));
  }

  /**
   * Entries of the tail that can be moved; entries left behind would be out of order in a segment.
   */
  private List<LogEntry> movable(TransactionLog log) {
    return log.newest().stream()
        .filter(e -> e.external().map(object -> !damaged.contains(object.id())).orElse(true))
        .toList();
  }

  private boolean readable(LogSegment segment) {
    return !damaged.contains(segment.object().id());
  }

  private int segmentsToKeep(TransactionLog log) {
    List<LogSegment> segments = log.segments();
    long newer = log.tail().size() * ENTRY;
    int keep = segments.size();
    while (keep > 0
        && readable(segments.get(keep - 1))
        && size(segments.get(keep - 1)) < Math.min(CAP, FACTOR * newer)) {
      keep--;
      newer += size(segments.get(keep));
    }
    return keep;
  }

  /** The first of the two readable neighbours with the fewest bytes. */
  private OptionalInt smallestPair(List<LogSegment> segments) {
    return IntStream.range(0, segments.size() - 1)
        .filter(i -> readable(segments.get(i)) && readable(segments.get(i + 1)))
        .boxed()
        .min(Comparator.comparingLong(i -> pair(segments, i)))
        .map(OptionalInt::of)
        .orElse(OptionalInt.empty());
  }

  private static long pair(List<LogSegment> segments, int i) {
    return size(segments.get(i)) + size(segments.get(i + 1));
  }

  private static long size(LogSegment segment) {
    return segment.object().size();
  }

  /**
   * Input of one new segment: the segments {@code from}, inclusive, to {@code to}, exclusive, and
   * entries.
   */
  private record Run(int from, int to, List<LogEntry> entries) {
    boolean isEmpty() {
      return entries.isEmpty() && to - from < 2;
    }

    List<LogSegment> segments(TransactionLog log) {
      return log.segments().subList(from, to);
    }

    boolean sameIn(TransactionLog log, TransactionLog merged) {
      return log.segments().size() >= to
          && segments(log).equals(segments(merged))
          && (entries.isEmpty()
              || (log.segments().size() == to
                  && log.tail().size() >= merged.tail().size()
                  && log.tail().subList(0, merged.tail().size()).equals(merged.tail())));
    }

    TransactionLog replacedBy(LogSegment segment, TransactionLog log) {
      List<LogSegment> segments = new ArrayList<>(log.segments());
      segments.subList(from, to).clear();
      segments.add(from, segment);
      List<LogEntry> tail = new ArrayList<>(log.tail());
      tail.removeAll(Set.copyOf(entries));
      return new TransactionLog(segments, tail);
    }
  }

  /**
   * Writes a segment and commits it. Entries that cannot be read are left as they are, and the
   * segment is made without them.
   */
  private void replace(Manifest manifest, Function<TransactionLog, Run> plan) throws IOException {
    Set<String> failed = new HashSet<>();
    while (true) {
      Run run = plan.apply(manifest.log());
      if (run.isEmpty()) {
        return;
      }
      try {
        commit(manifest, run);
        return;
      } catch (DamagedLogException e) {
        if (!failed.add(e.id())) { // twice: not on the way here
          note(e);
        }
      }
    }
  }

  private void note(DamagedLogException e) {
    if (damaged.add(e.id())) {
      counters.add(Count.DAMAGED_LOG_OBJECTS);
      LOG.error("{}; refs and pushes go on, reflogs that need it fail", e.getMessage());
    }
  }

  private void commit(Manifest manifest, Run run) throws IOException {
    TransactionLog merged = manifest.log();
    LogSegment segment = objects.writeSegment(manifest, run.segments(merged), run.entries());
    boolean listed =
        Replacement.commit(
            committer,
            base ->
                run.sameIn(base.log(), merged)
                    ? Optional.of(base.withLog(run.replacedBy(segment, base.log())))
                    : Optional.empty(),
            base -> base.log().segments().contains(segment),
            () -> objects.discard(manifest, segment.object()));
    if (!listed) {
      counters.add(Count.FOLDS_LOST);
    }
  }
}
