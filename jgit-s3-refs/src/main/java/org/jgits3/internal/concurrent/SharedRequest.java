// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.concurrent;

import java.io.IOException;

/**
 * Something asked of a store again and again, one at a time, each answer shared by all who arrived
 * before it was asked for. Nobody joins one that is under way: its answer may be older than the
 * caller.
 *
 * <p>Why that holds: a caller takes the round that has not begun, under the lock, and whoever
 * begins it puts another one in its place under the same lock before it asks. So all who share an
 * answer had arrived when it was asked for. Whoever waits for a round either finds it over or
 * nobody asking, and then asks itself; no thread but that of a caller is needed, and none is waited
 * for that does not run.
 *
 * <p>Safe for use by many threads. An interrupt does not end the wait for an answer; it stays set.
 * A request that fails because the heap is full leaves nobody waiting: to end one takes no memory.
 *
 * @param <T> type of the answer
 */
public final class SharedRequest<T> {
  private final String what;
  private final Request<T> request;

  // Guarded by this: a monitor takes no memory from the heap, unlike a lock that has to queue.
  private Round<T> upcoming = new Round<>();
  private boolean asking;

  /**
   * What is asked.
   *
   * @param <T> type of the answer
   */
  @FunctionalInterface
  public interface Request<T> {
    /**
     * Asks; never called by two threads at once.
     *
     * @return the answer
     * @throws IOException if there is none; all who share it fail with this exception
     */
    T send() throws IOException;
  }

  /** One request and its answer, or what it failed with. */
  private static final class Round<T> {
    private boolean over;
    private T answer;
    private Throwable failure;

    T get(String what) throws IOException {
      if (failure instanceof IOException e) {
        throw e;
      } else if (failure != null) {
        throw new IOException(what + ": cannot be read", failure);
      }
      return answer;
    }
  }

  /**
   * A request that many will share. Does nothing yet.
   *
   * @param what what is read, for messages
   * @param request asks for it
   */
  public SharedRequest(String what, Request<T> request) {
    this.what = what;
    this.request = request;
  }

  /**
   * Asks, or waits for an answer.
   *
   * @return the answer of a request that began after this call did
   * @throws IOException if that failed
   */
  public T get() throws IOException {
    Round<T> mine;
    synchronized (this) {
      mine = upcoming;
      awaitTurn(mine);
      if (mine.over) {
        return mine.get(what);
      }
      upcoming = new Round<>(); // first, since there may be no memory for it
      asking = true;
    }
    return ask(mine);
  }

  /** Waits until a round is over or nobody asks. The caller holds the monitor. */
  private void awaitTurn(Round<T> round) {
    boolean interrupted = false;
    while (!round.over && asking) {
      try {
        wait();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private T ask(Round<T> round) throws IOException {
    T answer = null;
    Throwable failure = null;
    try {
      answer = request.send();
      return answer;
    } catch (IOException | RuntimeException | Error e) {
      failure = e;
      throw e;
    } finally {
      finish(round, answer, failure);
    }
  }

  /** Allocates nothing: the heap may be full, and others would wait for ever. */
  private synchronized void finish(Round<T> round, T answer, Throwable failure) {
    round.over = true;
    round.answer = answer;
    round.failure = failure;
    asking = false;
    notifyAll();
  }
}
