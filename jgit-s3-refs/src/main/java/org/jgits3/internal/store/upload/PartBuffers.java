// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.store.upload;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.jgits3.store.UploadOptions;

/**
 * Memory for parts: a bounded number of arrays of one size, shared by all uploads of a process. A
 * released buffer goes to the upload that has waited longest.
 *
 * <p>Every upload makes progress, even with one buffer and any number of uploads, because:
 *
 * <ol>
 *   <li>An upload waits only while all buffers that it holds are being sent. No thread holds a
 *       buffer of one upload and waits for another: the upload of a pack is complete before that of
 *       its index begins.
 *   <li>A buffer that is being sent is released, whatever the outcome of the request.
 *   <li>A partly filled buffer belongs to a writer that waits neither here nor for a client: it has
 *       its bytes in this process, or reads them from a store. So the buffer is filled and sent, or
 *       the upload is aborted.
 * </ol>
 *
 * <p>A taken buffer is always in a list of its owner: taking adds it, and giving it back removes
 * it. So no failure can lose a buffer, or give it back twice.
 *
 * <p>Safe for use by many threads.
 */
final class PartBuffers {
  private final UploadOptions options;

  // All guarded by this.
  private final Deque<byte[]> free; // with room for all
  private final Deque<Object> waiting = new ArrayDeque<>();
  private int inUse;
  private boolean closed;

  /** Buffers, none of which is allocated before it is needed. */
  PartBuffers(UploadOptions options) {
    this.options = options;
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

  /** Bytes of all buffers that exist. */
  long held() {
    return (long) allocated() * options.partSize();
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
   * @throws IOException if this is closed
   */
  synchronized void take(List<byte[]> to) throws IOException {
    Object turn = new Object();
    waiting.add(turn);
    try {
      while (!closed && (waiting.peek() != turn || inUse == options.buffers())) {
        wait();
      }
      if (closed) {
        throw new IOException("no more uploads: the store is being closed");
      }
      to.add(free.isEmpty() ? new byte[options.partSize()] : free.pop());
      inUse++; // after the allocation
    } catch (InterruptedException e) {
      throw new InterruptedIOException("interrupted while it waited for a part buffer");
    } finally {
      waiting.remove(turn);
      notifyAll(); // the next one may have its turn
    }
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
