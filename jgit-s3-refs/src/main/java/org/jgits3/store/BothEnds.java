// SPDX-License-Identifier: Apache-2.0
package org.jgits3.store;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.LongAdder;

/**
 * A large read from both ends. The caller's thread begins at the front, with one request for all of
 * it. Now and then it is looked at how much comes; where that is too little, or more might, some of
 * the threads that the process shares join in: they take pieces from the back, until they meet the
 * front, whose request is ended there.
 *
 * <p>Before somebody joins, the read takes none of those threads, and it goes on however few of
 * them are free, or connections: a piece for which the store is not available to another thread is
 * left to the caller's, which reads it in the end. Where the front and the pieces meet some bytes
 * may land twice; they are the same, since all are of one version or the read fails.
 */
final class BothEnds {
  /** Threads that read at the back, at most. */
  static final int MOST = Gang.SIZE - 1;

  /** A thread takes one of so many parts of what is left: last ones are small, and end together. */
  private static final int SHARE = 2 * Gang.SIZE;

  /**
   * Null when all is over, so that a look that comes later does not keep the array. With the lock.
   */
  private Reading reading;

  private final Plan plan;
  private final Pace pace;
  private final int from;
  private final FirstFailure failure = new FirstFailure();

  /** Bytes that have come, at either end. */
  private final LongAdder come = new LongAdder();

  /**
   * End of the bytes that are there from the front on. With the lock, so that it stands still while
   * somebody takes a piece, which nobody else then reads.
   */
  private int front;

  /** Where the bytes begin that others have taken. With the lock. */
  private int back;

  /** Threads that are to read at the back. With the lock. */
  private int wanted;

  /** Threads that do, or will as soon as they are free. With the lock. */
  private int joined;

  /** Pieces that others could not read. With the lock. */
  private final List<Piece> left = new ArrayList<>();

  /** Pieces that were taken and are not there yet. With the lock. */
  private int underWay;

  /** When it was last looked, and what had come by then. Used by one thread at a time. */
  private long seenAt;

  private long seen;

  /** Reads a range of what is to be read. Called by several threads at a time. */
  @FunctionalInterface
  interface Reading {
    /**
     * Reads it.
     *
     * @param from first byte
     * @param to end
     * @param arrival told of what is there, and asked whether it is enough
     * @throws IOException if it cannot be read; all of the read fails then
     */
    void read(int from, int to, Arrival arrival) throws IOException;
  }

  /** Says how many read at the back. Used by one thread at a time. */
  @FunctionalInterface
  interface Pace {
    /**
     * Looks at what has come since it was asked last, or since the beginning.
     *
     * @param bytes how much, at both ends
     * @param nanos in how many nanoseconds
     * @return threads that are to read at the back, from 0 to {@link #MOST}; of those that are too
     *     many each ends with the piece it has
     */
    int others(long bytes, long nanos);
  }

  /**
   * How a read is looked at and divided.
   *
   * @param piece bytes that others take, at least
   * @param interval time from one look to the next
   */
  record Plan(int piece, Duration interval) {}

  private record Piece(Reading reading, int from, int to) {}

  private BothEnds(int from, int to, Plan plan, Pace pace, Reading reading) {
    this.reading = reading;
    this.plan = plan;
    this.pace = pace;
    this.from = from;
    this.front = from;
    this.back = to;
    this.seenAt = System.nanoTime();
  }

  /**
   * Reads. Returns when no thread writes any more, however often the caller is interrupted.
   *
   * @param from first byte
   * @param to end
   * @param plan how it is divided
   * @param pace says how many others read
   * @param reading reads ranges; not used any more after this has returned
   * @throws IOException the first failure
   */
  static void read(int from, int to, Plan plan, Pace pace, Reading reading) throws IOException {
    BothEnds ends = new BothEnds(from, to, plan, pace, reading);
    ends.lookLater();
    try {
      reading.read(from, to, ends.new Front());
    } catch (IOException | RuntimeException | Error e) {
      ends.failure.add(e);
    }
    ends.await();
    ends.readLeft();
    ends.failure.orReturn();
  }

  /** Moves the front. */
  private final class Front implements Arrival {
    @Override
    public void begins(Validator version) {
      synchronized (BothEnds.this) {
        front = from; // again, if the object was replaced: what is there is of the one before
      }
    }

    @Override
    public void until(int end) {
      synchronized (BothEnds.this) {
        come.add(end - front);
        front = end;
      }
    }

    @Override
    public boolean enough() {
      synchronized (BothEnds.this) {
        return front >= back || failure.isThere();
      }
    }
  }

  /** Counts what comes of a piece, which ends with the read if that fails. */
  private final class Back implements Arrival {
    private final int from;
    private int end;

    Back(int from) {
      this.from = from;
      this.end = from;
    }

    @Override
    public void begins(Validator version) {
      end = from;
    }

    @Override
    public void until(int to) {
      come.add(to - end);
      end = to;
    }

    @Override
    public boolean enough() {
      return failure.isThere();
    }
  }

  private void lookLater() {
    ReadThreads.executeAfter(plan.interval(), this::look);
  }

  private void look() {
    long now = System.nanoTime();
    long there = come.sum();
    int others = pace.others(there - seen, now - seenAt);
    seen = there;
    seenAt = now;
    int more;
    synchronized (this) {
      if (!isWorthJoining()) {
        return;
      }
      wanted = others;
      more = Math.max(0, wanted - joined);
      joined += more;
    }
    for (int i = 0; i < more; i++) {
      ReadThreads.execute(this::join);
    }
    lookLater();
  }

  /** Whether there is enough left that nobody has taken. With the lock. */
  private boolean isWorthJoining() {
    return reading != null
        && !failure.isThere()
        && left.isEmpty()
        && back - front >= 2 * plan.piece();
  }

  private void join() {
    Optional<Piece> next = take();
    while (next.isPresent()) {
      read(next.get());
      next = take();
    }
  }

  private void read(Piece piece) {
    try {
      landOrLeave(piece);
    } catch (IOException | RuntimeException | Error e) {
      failure.add(e);
    } finally {
      landed();
    }
  }

  private void landOrLeave(Piece piece) throws IOException {
    try {
      land(piece);
    } catch (StoreException.Unavailable e) {
      leave(piece);
    }
  }

  private void land(Piece piece) throws IOException {
    piece.reading().read(piece.from(), piece.to(), new Back(piece.from()));
  }

  private synchronized void leave(Piece piece) {
    left.add(piece);
  }

  /** Reads what others could not, when they have ended and the first request has. */
  private void readLeft() {
    List<Piece> pieces;
    synchronized (this) {
      pieces = List.copyOf(left);
    }
    try {
      for (Piece piece : pieces) {
        if (failure.isThere()) {
          return;
        }
        land(piece);
      }
    } catch (IOException | RuntimeException | Error e) {
      failure.add(e);
    }
  }

  private synchronized Optional<Piece> take() {
    if (joined > wanted || !isWorthJoining()) {
      joined--;
      return Optional.empty();
    }
    int begin = back - Math.max(plan.piece(), (back - front) / SHARE);
    Optional<Piece> piece = Optional.of(new Piece(reading, begin, back));
    back = begin; // only now that somebody will read it: there may have been no memory
    underWay++;
    return piece;
  }

  private synchronized void landed() {
    underWay--;
    notifyAll();
  }

  private synchronized void await() {
    boolean interrupted = false;
    while (underWay > 0) {
      try {
        wait();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    reading = null;
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
