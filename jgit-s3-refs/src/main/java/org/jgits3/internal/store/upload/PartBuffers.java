// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.store.upload;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jgits3.store.UploadOptions;

/**
 * Memory for parts: a bounded number of arrays of one size, shared by all uploads of a process. A
 * released buffer goes to the upload that has waited longest.
 *
 * <p>Every upload makes progress, even with one buffer and any number of uploads, because:
 *
 * <ol>
 *   <li>An upload waits only while all buffers that it holds are being sent.
 *   <li>A buffer that is being sent is released, whatever the outcome of the request.
 *   <li>A partly filled buffer belongs to a writer that does not wait here. It is filled and sent,
 *       or the upload is aborted.
 * </ol>
 *
 * <p>The remaining case is a writer that stalls. If no buffer is released and no part is being sent
 * for some time, the waiting uploads fail.
 *
 * <p>A buffer is always in a list of its owner, to which it is added, and from which it is given
 * back, without allocating anything. So none is lost when the heap is full, and none is given back
 * twice.
 *
 * <p>Safe for use by many threads.
 */
final class PartBuffers {
  private final UploadOptions options;
  private final Duration patience;
  private final BooleanSupplier sending;

  // All guarded by this.
  private final Deque<byte[]> free; // with room for all
  private final Deque<Object> waiting = new ArrayDeque<>();
  private int inUse;
  private long lastGiven = System.nanoTime();
  private boolean closed;

  /**
   * Buffers, none of which is allocated before it is needed.
   *
   * @param options size and number
   * @param patience longest wait of an upload while no part is sent and no buffer is released
   * @param sending tests whether a part is being sent
   */
  PartBuffers(UploadOptions options, Duration patience, BooleanSupplier sending) {
    this.options = options;
    this.patience = patience;
    this.sending = sending;
    this.free = new ArrayDeque<>(options.buffers());
  }

  /** Buffers that uploads hold. */
  synchronized int inUse() {
    return inUse;
  }

  /** Buffers that exist, whether an upload holds them or not. */
  synchronized int allocated() {
    return inUse + free.size();
  }

  /** Uploads that wait for a buffer. */
  synchronized int waiting() {
    return waiting.size();
  }

  /**
   * Takes a buffer, waiting for one if necessary. Only for an upload all of whose buffers are being
   * sent.
   *
   * @param to takes the buffer, and has room for it; to be given back
   * @throws InterruptedIOException if the thread is interrupted
   * @throws IOException if this was closed, or the writers that hold the buffers stall
   */
  synchronized void take(List<byte[]> to) throws IOException {
    Object turn = new Object();
    waiting.add(turn);
    try {
      awaitTurn(turn);
      hold(to);
    } catch (InterruptedException e) {
      InterruptedIOException interrupted =
          new InterruptedIOException("interrupted while it waited for a part buffer");
      interrupted.initCause(e);
      throw interrupted;
    } finally {
      waiting.remove(turn);
      notifyAll(); // the next one may have its turn
    }
  }

  private void awaitTurn(Object turn) throws IOException, InterruptedException {
    long begin = System.nanoTime();
    while (true) {
      checkOpen();
      if (waiting.peek() == turn && inUse < options.buffers()) {
        return;
      }
      long now = System.nanoTime();
      long left = patience.toNanos() - Math.min(now - begin, now - lastGiven);
      if (left <= 0) {
        checkSending();
        left = patience.toNanos();
      }
      TimeUnit.NANOSECONDS.timedWait(this, left);
    }
  }

  private void checkOpen() throws IOException {
    if (closed) {
      throw new IOException("no more uploads: the store is being closed");
    }
  }

  private void checkSending() throws IOException {
    if (!sending.getAsBoolean()) {
      throw new IOException(
          String.format(
              "no memory for an upload: %d part buffers were held for %d s by others whose writers"
                  + " stall; set [s3 \"upload\"] buffers higher",
              options.buffers(), patience.toSeconds()));
    }
  }

  /**
   * Takes a buffer if there is one that no other upload waits for.
   *
   * @param to takes the buffer, and has room for it; to be given back
   * @return true if a buffer was free
   */
  synchronized boolean tryTake(List<byte[]> to) {
    if (!waiting.isEmpty() || inUse == options.buffers()) {
      return false;
    }
    hold(to);
    return true;
  }

  /** Allocates before it counts. */
  private void hold(List<byte[]> to) {
    to.add(free.isEmpty() ? new byte[options.partSize()] : free.pop());
    inUse++;
  }

  /**
   * Releases buffers that are no longer read or written.
   *
   * @param from the buffers; empty afterwards
   */
  synchronized void give(List<byte[]> from) {
    while (!from.isEmpty()) {
      free.push(from.remove(from.size() - 1));
      inUse--;
    }
    lastGiven = System.nanoTime();
    notifyAll();
  }

  /** Drops the buffers that no upload holds. */
  synchronized void clear() {
    free.clear();
  }

  /** Refuses buffers from now on; waiting uploads fail. */
  synchronized void close() {
    closed = true;
    notifyAll();
  }
}
