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
import java.util.concurrent.TimeUnit;

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
 *   <li>To take a buffer back allocates nothing, so that none is lost when the heap is full. One
 *       that a stream lost all the same, since it failed half way, counts no more when its share
 *       ends.
 * </ol>
 *
 * <p>Safe for use by many threads.
 */
final class PartBuffers {
  private final int size;
  private final int count;
  private final Duration patience;

  // All guarded by this: a monitor takes no memory from the heap, unlike a lock that has to queue.
  private final Deque<byte[]> free; // with room for all
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
    byte[] granted;

    Waiter(Share share) {
      this.share = share;
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
    this.free = new ArrayDeque<>(count);
  }

  /** Bytes of a buffer. */
  int size() {
    return size;
  }

  /** Buffers that are held by streams. */
  synchronized int inUse() {
    return made - free.size();
  }

  /** Most buffers that were ever held at once. */
  synchronized int mostInUse() {
    return mostInUse;
  }

  /** Buffers that exist, whether somebody holds them or not. */
  synchronized int allocated() {
    return made;
  }

  /** Streams that wait for a buffer. */
  synchronized int waiting() {
    return waiting.size();
  }

  /** Refuses buffers from now on; whoever waits for one fails. */
  synchronized void close() {
    closed = true;
    notifyAll();
  }

  /**
   * A share for a stream.
   *
   * @param holder the stream
   * @return its share, to be closed when nothing of it is being filled or sent any more
   */
  synchronized Share share(Holder holder) {
    Share share = new Share(holder);
    shares.add(share);
    return share;
  }

  /** A buffer that can be had at once. All is allocated before anything is counted. */
  private Optional<byte[]> poll(Share share) {
    if (free.isEmpty() && made == count) {
      return Optional.empty();
    }
    Optional<byte[]> found = Optional.of(free.isEmpty() ? new byte[size] : free.peek());
    if (free.poll() == null) {
      made++;
    }
    grant(share);
    return found;
  }

  private void grant(Share share) {
    share.held++;
    share.filledSince = System.nanoTime();
    share.filling = true;
    mostInUse = Math.max(mostInUse, made - free.size());
  }

  /** Gives a buffer to the waiter who holds fewest, or keeps it. Allocates nothing. */
  private void hand(byte[] buffer) {
    Waiter next = null;
    for (int i = 0; i < waiting.size() && !closed; i++) { // an iterator would be allocated
      Waiter w = waiting.get(i);
      if (w.granted == null && (next == null || w.share.held < next.share.held)) {
        next = w;
      }
    }
    if (next == null) {
      free.push(buffer);
    } else {
      next.granted = buffer;
      grant(next.share);
      notifyAll();
    }
  }

  /** Streams that have held a partly filled buffer for long, longest first. */
  private synchronized List<Share> idle() {
    long now = System.nanoTime();
    return shares.stream()
        .filter(s -> s.filling && now - s.filledSince >= patience.toNanos())
        .sorted(Comparator.comparingLong((Share s) -> s.filledSince - now))
        .toList();
  }

  /** What one stream has of the buffers. Used by one thread at a time, but for {@link #give}. */
  final class Share {
    private final Holder holder;

    // Guarded by the buffers.
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
      Waiter waiter = new Waiter(this);
      synchronized (PartBuffers.this) {
        checkOpen();
        Optional<byte[]> buffer = poll(this);
        if (buffer.isPresent()) {
          return buffer.get();
        }
        waiting.add(waiter);
      }
      return await(waiter);
    }

    private byte[] await(Waiter waiter) throws IOException {
      boolean taken = false;
      try {
        while (!granted(waiter)) {
          askToGiveWay();
        }
        taken = true;
        return waiter.granted;
      } catch (InterruptedException e) {
        InterruptedIOException interrupted =
            new InterruptedIOException("interrupted while it waited for a part buffer");
        interrupted.initCause(e);
        throw interrupted;
      } finally {
        leave(waiter, taken);
      }
    }

    /** Waits for a buffer as long as there is patience; false if it got none. */
    private boolean granted(Waiter waiter) throws IOException, InterruptedException {
      synchronized (PartBuffers.this) {
        long deadline = System.nanoTime() + patience.toNanos();
        for (long left = patience.toNanos(); ; left = deadline - System.nanoTime()) {
          if (waiter.granted == null) {
            checkOpen();
            waiter.granted = poll(this).orElse(null); // in the place of one that was lost
          }
          if (waiter.granted != null || left <= 0) {
            return waiter.granted != null;
          }
          TimeUnit.NANOSECONDS.timedWait(PartBuffers.this, left);
        }
      }
    }

    private void leave(Waiter waiter, boolean taken) {
      synchronized (PartBuffers.this) {
        waiting.remove(waiter);
        if (!taken && waiter.granted != null) {
          filling = false;
          giveBack(waiter.granted);
        }
      }
    }

    private void askToGiveWay() {
      for (Share share : idle()) {
        if (share.holder.giveWay()) {
          return;
        }
      }
    }

    /**
     * Takes a buffer if there is one that nobody waits for.
     *
     * @return a buffer, to be given back; empty if there is none
     * @throws IOException if no more uploads are wanted
     */
    Optional<byte[]> tryTake() throws IOException {
      synchronized (PartBuffers.this) {
        checkOpen();
        return poll(this);
      }
    }

    private void checkOpen() throws IOException {
      if (closed) {
        throw new IOException("no more uploads: the store is being closed");
      }
    }

    /** Says that none of its buffers is being filled any more. */
    void sent() {
      synchronized (PartBuffers.this) {
        filling = false;
      }
    }

    /**
     * Gives buffers back, which nobody reads or writes any more. Allocates nothing.
     *
     * @param buffers buffers of this share
     */
    void give(List<byte[]> buffers) {
      synchronized (PartBuffers.this) {
        for (int i = 0; i < buffers.size(); i++) { // an iterator would be allocated
          giveBack(buffers.get(i));
        }
      }
    }

    private void giveBack(byte[] buffer) {
      held--;
      hand(buffer);
    }

    /**
     * Ends the use of it. What was not given back never will be, nobody reads or writes it any
     * more, and others may have as many new ones. With the last share all buffers go back to the
     * heap.
     */
    void close() {
      synchronized (PartBuffers.this) {
        shares.remove(this);
        if (held > 0) {
          made -= held;
          held = 0;
          PartBuffers.this.notifyAll();
        }
        if (shares.isEmpty()) {
          made = 0;
          free.clear();
        }
      }
    }
  }
}
