// SPDX-License-Identifier: Apache-2.0
package org.jgits3.store;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The memory for parts: a bounded number of arrays of one size, shared by all streams of a process.
 *
 * <p>A buffer that comes back goes to the waiting stream that holds fewest, and among those to the
 * one that has waited longest. So one stream alone may use them all, and many get one each.
 *
 * <p>Why every stream goes on, even with one buffer and any number of streams:
 *
 * <ol>
 *   <li>A stream waits only while all that it holds is being sent: before it waits it sends what it
 *       has filled, which is as much as a part needs.
 *   <li>What is being sent comes back, whatever becomes of the request.
 *   <li>What is partly filled belongs to a stream that does not wait here. It is filled and sent,
 *       or given up; or its writer does nothing, because its client stalls, or because it is the
 *       very thread that waits for another stream. Then, after some patience, whoever waits takes
 *       the buffer away: the owner's {@link Holder#giveWay} sends its bytes as a part, or puts them
 *       aside in the store if they are too few for one.
 *   <li>A stream that holds none is served before those that hold some, and in order of arrival, so
 *       that nobody overtakes for ever.
 * </ol>
 *
 * <p>Safe for use by many threads.
 */
final class PartBuffers {
  private final int size;
  private final int count;
  private final Duration patience;
  private final ReentrantLock lock = new ReentrantLock();

  // All guarded by the lock.
  private final Deque<byte[]> free = new ArrayDeque<>();
  private final List<Waiter> waiting = new ArrayList<>();
  private final Set<Share> shares = new LinkedHashSet<>();
  private int made;
  private int mostInUse;
  private boolean closed;

  /** A stream that may have to give way. */
  interface Holder {
    /**
     * Frees buffers that are partly filled, if their owner is not at work on them. Called by a
     * thread that waits for a buffer, and that holds no lock.
     *
     * @return whether some are free, or will be when they are sent
     */
    boolean giveWay();
  }

  private static final class Waiter {
    final Share share;
    final Condition changed;
    byte[] granted;

    Waiter(Share share, Condition changed) {
      this.share = share;
      this.changed = changed;
    }
  }

  /**
   * Buffers, none of which is allocated before it is needed.
   *
   * @param options size and number
   * @param patience how long a stream waits before it looks for one that should give way
   */
  PartBuffers(UploadOptions options, Duration patience) {
    this.size = options.partSize();
    this.count = options.buffers();
    this.patience = patience;
  }

  /** Bytes of a buffer. */
  int size() {
    return size;
  }

  /** Buffers that are held by streams. */
  int inUse() {
    lock.lock();
    try {
      return made - free.size();
    } finally {
      lock.unlock();
    }
  }

  /** Most buffers that were ever held at once. */
  int mostInUse() {
    lock.lock();
    try {
      return mostInUse;
    } finally {
      lock.unlock();
    }
  }

  /** Buffers that exist, whether somebody holds them or not. */
  int allocated() {
    lock.lock();
    try {
      return made;
    } finally {
      lock.unlock();
    }
  }

  /** Streams that wait for a buffer. */
  int waiting() {
    lock.lock();
    try {
      return waiting.size();
    } finally {
      lock.unlock();
    }
  }

  /** Refuses buffers from now on; whoever waits for one fails. */
  void close() {
    lock.lock();
    try {
      closed = true;
      waiting.forEach(w -> w.changed.signal());
    } finally {
      lock.unlock();
    }
  }

  /**
   * A share for a stream.
   *
   * @param holder the stream
   * @return its share, to be closed when all buffers are back
   */
  Share share(Holder holder) {
    Share share = new Share(holder);
    lock.lock();
    try {
      shares.add(share);
    } finally {
      lock.unlock();
    }
    return share;
  }

  private Optional<byte[]> poll() {
    if (!free.isEmpty()) {
      return Optional.of(free.pop());
    }
    if (made == count) {
      return Optional.empty();
    }
    byte[] buffer = new byte[size];
    made++;
    return Optional.of(buffer);
  }

  private byte[] grant(Share share, byte[] buffer) {
    share.held++;
    share.filledSince = System.nanoTime();
    share.filling = true;
    mostInUse = Math.max(mostInUse, made - free.size());
    return buffer;
  }

  private void hand(byte[] buffer) {
    Optional<Waiter> next =
        waiting.stream()
            .filter(w -> w.granted == null && !closed)
            .min(Comparator.comparingInt(w -> w.share.held));
    if (next.isPresent()) {
      next.get().granted = grant(next.get().share, buffer);
      next.get().changed.signal();
    } else {
      free.push(buffer);
    }
  }

  /** Streams that have held a partly filled buffer for long, longest first. */
  private List<Share> idle() {
    long now = System.nanoTime();
    return shares.stream()
        .filter(s -> s.filling && now - s.filledSince >= patience.toNanos())
        .sorted(Comparator.comparingLong((Share s) -> s.filledSince - now))
        .toList();
  }

  /** What one stream has of the buffers. Used by one thread at a time, but for {@link #give}. */
  final class Share {
    private final Holder holder;

    // Guarded by the lock.
    private int held;
    private boolean filling;
    private long filledSince;

    private Share(Holder holder) {
      this.holder = holder;
    }

    /**
     * Takes a buffer, waiting for one if need be. Only for a stream all of whose buffers are being
     * sent.
     *
     * @return a buffer, to be given back
     * @throws InterruptedIOException if the thread is interrupted
     * @throws IOException if no more uploads are wanted
     */
    byte[] take() throws IOException {
      lock.lock();
      try {
        checkOpen();
        Optional<byte[]> buffer = poll();
        return buffer.isPresent() ? grant(this, buffer.get()) : await();
      } finally {
        lock.unlock();
      }
    }

    private byte[] await() throws IOException {
      Waiter waiter = new Waiter(this, lock.newCondition());
      waiting.add(waiter);
      boolean taken = false;
      try {
        while (waiter.granted == null) {
          checkOpen();
          if (waiter.changed.awaitNanos(patience.toNanos()) <= 0 && waiter.granted == null) {
            askToGiveWay();
          }
        }
        taken = true;
        return waiter.granted;
      } catch (InterruptedException e) {
        InterruptedIOException interrupted =
            new InterruptedIOException("interrupted while it waited for a part buffer");
        interrupted.initCause(e);
        throw interrupted;
      } finally {
        waiting.remove(waiter);
        if (!taken && waiter.granted != null) {
          sent();
          giveBack(waiter.granted);
        }
      }
    }

    private void askToGiveWay() {
      List<Share> idle = idle();
      lock.unlock();
      try {
        for (Share share : idle) {
          if (share.holder.giveWay()) {
            return;
          }
        }
      } finally {
        lock.lock();
      }
    }

    /**
     * Takes a buffer if there is one that nobody waits for.
     *
     * @return a buffer, to be given back; empty if there is none
     * @throws IOException if no more uploads are wanted
     */
    Optional<byte[]> tryTake() throws IOException {
      lock.lock();
      try {
        checkOpen();
        return poll().map(buffer -> grant(this, buffer));
      } finally {
        lock.unlock();
      }
    }

    private void checkOpen() throws IOException {
      if (closed) {
        throw new IOException("no more uploads: the store is being closed");
      }
    }

    /** Says that none of its buffers is being filled any more. */
    void sent() {
      lock.lock();
      try {
        filling = false;
      } finally {
        lock.unlock();
      }
    }

    /**
     * Gives buffers back, which nobody reads or writes any more.
     *
     * @param buffers buffers of this share
     */
    void give(List<byte[]> buffers) {
      lock.lock();
      try {
        buffers.forEach(this::giveBack);
      } finally {
        lock.unlock();
      }
    }

    private void giveBack(byte[] buffer) {
      held--;
      hand(buffer);
    }

    /** Ends the use of it. With the last share the buffers go back to the heap. */
    void close() {
      lock.lock();
      try {
        shares.remove(this);
        if (shares.isEmpty() && free.size() == made) {
          made = 0;
          free.clear();
        }
      } finally {
        lock.unlock();
      }
    }
  }
}
