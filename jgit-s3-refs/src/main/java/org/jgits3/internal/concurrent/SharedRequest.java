// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.concurrent;

import java.io.IOException;

/**
 * A repeated request to a store, sent once at a time, whose answer is shared by all callers that
 * arrived before it was sent. A caller never joins a request that is under way: its answer may be
 * older than the call.
 *
 * <p>A caller joins the upcoming round under the lock; the caller that begins the round replaces it
 * by another one under the same lock before it sends the request. So all that share an answer had
 * arrived when the request was sent. A waiting caller finds its round over, or no request under
 * way; then it sends the request itself. The threads of callers suffice, and a caller waits only
 * for a thread that runs.
 *
 * <p>Safe for use by many threads. An interrupt does not end the wait for an answer; it stays set.
 * A request that fails because the heap is full leaves no caller waiting, because ending a request
 * allocates nothing.
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
   * The request to send.
   *
   * @param <T> type of the answer
   */
  @FunctionalInterface
  public interface Request<T> {
    /**
     * Sends the request; never called by two threads at once.
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
   * A request to be shared. Sends nothing yet.
   *
   * @param what name of the request, for messages
   * @param request sends the request
   */
  public SharedRequest(String what, Request<T> request) {
    this.what = what;
    this.request = request;
  }

  /**
   * Sends the request, or waits for the answer to one.
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

  /** Waits until a round is over or no request is under way. The caller holds the monitor. */
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

  /** Ends a round. Allocates nothing: if that failed on a full heap, others would wait for ever. */
  private synchronized void finish(Round<T> round, T answer, Throwable failure) {
    round.over = true;
    round.answer = answer;
    round.failure = failure;
    asking = false;
    notifyAll();
  }
}
