// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.store.read;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import org.jgits3.internal.concurrent.Cancellable;
import org.jgits3.internal.concurrent.FirstFailure;
import org.jgits3.store.ObjectStore;
import org.jgits3.store.StoreException;

/**
 * Reads an object from front to back with up to {@link #IN_FLIGHT} requests in flight, and returns
 * its bytes in order. May be positioned anywhere at any time, which drops bytes that were read
 * ahead in vain.
 *
 * <p>Memory: one buffer per request, reused. Apart from the first buffer of each reader, the
 * buffers of all readers of the process take at most an eighth of the heap; a reader that gets no
 * more continues with those it has, more slowly.
 *
 * <p>Used by one thread. Requests are sent by threads that the process shares, and by the caller's
 * thread if those have not begun.
 */
public final class ReadAhead implements Closeable {
  /** Requests in flight, at most. */
  public static final int IN_FLIGHT = 4;

  /** A permit for each byte that the buffers of all readers may take. */
  private static final Semaphore SHARED =
      new Semaphore((int) Math.min(Integer.MAX_VALUE, Runtime.getRuntime().maxMemory() / 8));

  private final Source source;
  private final int unit;
  private final long size;
  private final int bufferSize;
  private final Semaphore budget;

  /** Requests whose bytes are not yet used up, in order; each begins where the one before ends. */
  private final Deque<Chunk> ahead = new ArrayDeque<>();

  private final Deque<byte[]> free = new ArrayDeque<>();
  private int buffers;
  private long next;

  /** Bytes to be read ahead. Safe for use by many threads. */
  @FunctionalInterface
  public interface Source {
    /**
     * Reads bytes, all of them.
     *
     * @param offset offset of the first byte, a multiple of the unit
     * @param dst array that receives them
     * @param dstOffset index in {@code dst} of the first byte
     * @param length number of bytes, a multiple of the unit unless they are the last ones
     * @throws IOException if they cannot be read
     */
    void read(long offset, byte[] dst, int dstOffset, int length) throws IOException;
  }

  /**
   * Reads an object that does not change.
   *
   * @param source source of its bytes
   * @param unit bytes that can only be read together
   * @param size its length in bytes
   * @param memory bytes to read ahead; a request reads a quarter of it, rounded to whole units
   */
  public ReadAhead(Source source, int unit, long size, int memory) {
    this(source, unit, size, memory, SHARED);
  }

  ReadAhead(Source source, int unit, long size, int memory, Semaphore budget) {
    this.source = source;
    this.unit = unit;
    this.size = size;
    int units = Math.max(1, memory / IN_FLIGHT / unit);
    this.bufferSize = (int) Math.min((long) units * unit, Math.max(1, size));
    this.budget = budget;
  }

  /**
   * Reads bytes, at least one unless the object ends or {@code dst} is full.
   *
   * @param position offset of the first byte in the object
   * @param dst buffer that receives the bytes
   * @return bytes read; -1 at the end of the object
   * @throws StoreException as {@link ObjectStore#read}; the same may be read again
   */
  public int read(long position, ByteBuffer dst) throws IOException {
    if (position >= size) {
      return -1;
    }
    moveTo(position);
    request();
    Chunk chunk = ahead.getFirst();
    try {
      FirstFailure.rethrow(chunk.failure());
    } catch (IOException | RuntimeException | Error e) {
      dropAll();
      throw e;
    }
    int from = (int) (position - chunk.start);
    int n = Math.min(dst.remaining(), chunk.length - from);
    dst.put(chunk.bytes, from, n);
    if (from + n == chunk.length) {
      dropFirst();
      request();
    }
    return n;
  }

  private void moveTo(long position) {
    if (ahead.isEmpty() || position < ahead.getFirst().start || position >= next) {
      dropAll();
      next = position - position % unit;
    }
    while (!ahead.isEmpty() && position >= ahead.getFirst().end()) {
      dropFirst();
    }
  }

  private void request() {
    while (ahead.size() < IN_FLIGHT && next < size && (!free.isEmpty() || addBuffer())) {
      Chunk chunk = new Chunk(next, (int) Math.min(bufferSize, size - next), free.remove());
      ahead.add(chunk);
      next = chunk.end();
      ReadThreads.execute(chunk.request);
    }
  }

  private boolean addBuffer() {
    if (buffers > 0 && !budget.tryAcquire(bufferSize)) {
      return false;
    }
    buffers++;
    free.add(new byte[bufferSize]);
    return true;
  }

  private void dropAll() {
    ahead.forEach(chunk -> chunk.request.cancel());
    while (!ahead.isEmpty()) {
      dropFirst();
    }
  }

  private void dropFirst() {
    Chunk chunk = ahead.remove();
    chunk.request.cancel();
    chunk.failure(); // awaits its end; its failure does not matter
    free.add(chunk.bytes);
    chunk.bytes = null; // a thread pool may hold the chunk much longer
  }

  /** Cancels all requests, and returns when none is in flight any more. */
  @Override
  public void close() {
    dropAll();
    free.clear();
    budget.release(Math.max(0, buffers - 1) * bufferSize);
    buffers = 0;
  }

  /** One request. Its array may be used, or used again, once it has ended. */
  private final class Chunk {
    final long start;
    final int length;
    byte[] bytes; // null once it was dropped

    /** Completed at the end of the request, with its failure or null. */
    final CompletableFuture<Throwable> ended = new CompletableFuture<>();

    /** Cancelled by the reading thread when the bytes are no longer needed. */
    final Cancellable request;

    Chunk(long start, int length, byte[] bytes) {
      this.start = start;
      this.length = length;
      this.bytes = bytes;
      this.request =
          new Cancellable(() -> source.read(start, this.bytes, 0, length), ended::complete);
    }

    long end() {
      return start + length;
    }

    /** Sends the request unless a thread has begun it, and returns its failure or null. */
    Throwable failure() {
      request.run();
      return ended.join();
    }
  }
}
