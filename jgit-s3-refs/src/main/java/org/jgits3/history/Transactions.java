// SPDX-License-Identifier: Apache-2.0
package org.jgits3.history;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.function.Consumer;
import java.util.function.LongPredicate;
import org.jgits3.internal.function.IoConsumer;
import org.jgits3.internal.refs.log.BlockCursor;
import org.jgits3.internal.refs.log.BlockCursor.Part;
import org.jgits3.internal.refs.log.BlockFileReader;
import org.jgits3.internal.refs.log.LogObjects;
import org.jgits3.manifest.LogEntry;
import org.jgits3.manifest.LogSegment;
import org.jgits3.manifest.Manifest;
import org.jgits3.manifest.RefChange;
import org.jgits3.manifest.Refs;
import org.jgits3.manifest.RepositorySettings;
import org.jgits3.manifest.RepositoryState;

/**
 * Transactions of a repository after some generation, oldest first, up to the newest one at the
 * time of the request. Reads only the parts of the log that hold them, a megabyte at a time, as
 * they are asked for. Used by one thread.
 */
public final class Transactions {
  private final LogObjects objects;
  private final Manifest manifest;
  private final long after;
  private final LogPosition end;
  private final LongPredicate own;
  private final Iterator<LogSegment> segments;
  private final Iterator<LogEntry> tail;

  /** Entries of the tail that come before, or between, those of the segments. */
  private final Queue<LogEntry> leftBehind;

  /** First part of a transaction that comes after an entry left behind. */
  private Optional<Part> ahead = Optional.empty();

  private Optional<BlockFileReader> segment = Optional.empty();
  private int nextBlock;
  private BlockCursor block = new BlockCursor(new byte[0], 0, 0);

  /** Transaction returned last, if parts of it were not read. */
  private Optional<LogEntry> unfinished = Optional.empty();

  /** No transactions, those of a repository that was deleted. */
  static Transactions none(LogObjects objects, LogPosition end) {
    Manifest nothing =
        Manifest.first(
            end.repositoryId(),
            new RepositoryState.Deleted(0),
            0,
            RepositorySettings.NONE,
            Refs.NONE);
    return new Transactions(objects, nothing, end.generation(), end, generation -> false);
  }

  Transactions(LogObjects objects, Manifest manifest, long after, LongPredicate own) {
    this(
        objects,
        manifest,
        after,
        new LogPosition(manifest.repositoryId(), manifest.generation()),
        own);
  }

  private Transactions(
      LogObjects objects, Manifest manifest, long after, LogPosition end, LongPredicate own) {
    this.objects = objects;
    this.own = own;
    this.manifest = manifest;
    this.after = after;
    this.end = end;
    List<LogSegment> all = manifest.log().segments();
    this.segments = all.stream().filter(s -> s.to() > after).iterator();
    this.tail = manifest.log().newest().stream().filter(e -> e.generation() > after).iterator();
    this.leftBehind = new ArrayDeque<>(manifest.log().leftBehind());
    leftBehind.removeIf(e -> e.generation() <= after);
  }

  /**
   * Position to continue from once all were read.
   *
   * @return position after the last of them
   */
  public LogPosition end() {
    return end;
  }

  /**
   * The next transaction.
   *
   * @return the transaction; empty after the last
   * @throws IOException if it cannot be read
   */
  public Optional<Transaction> next() throws IOException {
    Optional<Part> first = nextFirstPart();
    LogEntry left = leftBehind.peek();
    if (left != null && first.map(p -> left.generation() < p.entry().generation()).orElse(true)) {
      leftBehind.remove();
      ahead = first;
      return Optional.of(ofTail(left));
    }
    if (first.isPresent()) {
      return Optional.of(transaction(first.get().entry(), each -> visit(first.get(), each)));
    }
    return tail.hasNext() ? Optional.of(ofTail(tail.next())) : Optional.empty();
  }

  private Transaction transaction(LogEntry entry, IoConsumer<Consumer<RefChange>> changes) {
    return new Transaction(entry, changes, own);
  }

  private Transaction ofTail(LogEntry entry) {
    return transaction(entry, each -> objects.forEachChange(manifest, entry, each::accept));
  }

  /** First part of the next transaction in a segment; empty after the last. */
  private Optional<Part> nextFirstPart() throws IOException {
    Optional<Part> read = ahead;
    if (read.isPresent()) {
      ahead = Optional.empty();
      return read;
    }
    while (unfinished.isPresent()) {
      restOfUnfinished();
    }
    return nextPart();
  }

  private void visit(Part first, Consumer<RefChange> each) throws IOException {
    if (first.more() && !unfinished.equals(Optional.of(first.entry()))) {
      throw new IllegalStateException("the changes were passed by already");
    }
    first.entry().changes().forEach(each);
    while (unfinished.isPresent()) {
      restOfUnfinished().forEach(each);
    }
  }

  /** Changes of the next part of the transaction returned last. */
  private List<RefChange> restOfUnfinished() throws IOException {
    return nextPart()
        .orElseThrow(() -> new IOException("the log ends within a transaction; see " + end))
        .entry()
        .changes();
  }

  /** The next part of a transaction in a segment; empty after the last. */
  private Optional<Part> nextPart() throws IOException {
    while (true) {
      if (segment.isPresent() && !block.atEnd()) {
        Part part = segment.get().readable(block::entry);
        if (part.entry().generation() > after) {
          LogEntry of = unfinished.orElse(part.entry());
          unfinished = part.more() ? Optional.of(of) : Optional.empty();
          return Optional.of(part);
        }
      } else if (segment.isPresent() && nextBlock < segment.get().index().blocks().size()) {
        block = segment.get().blockAndOn(nextBlock++);
      } else if (segments.hasNext()) {
        segment = Optional.of(objects.open(manifest, segments.next()));
        nextBlock = segment.get().index().after(after);
      } else {
        return Optional.empty();
      }
    }
  }
}
