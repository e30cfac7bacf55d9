// SPDX-License-Identifier: Apache-2.0
package org.jgits3.store;

import java.io.IOException;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

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
 *
 * @param <T> type of the answer
 */
public final class SharedRequest<T> {
  private final String what;
  private final Request<T> request;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private Round<T> upcoming = new Round<>(); // guarded by lock
  private boolean asking; // guarded by lock

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

  /** One request and its answer; guarded by the lock. */
  private static final class Round<T> {
    private boolean over;
    private T answer;
    private IOException failure;

    T get() throws IOException {
      if (failure != null) {
        throw failure;
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
    lock.lock();
    try {
      mine = upcoming;
      while (!mine.over && asking) {
        changed.awaitUninterruptibly();
      }
      if (mine.over) {
        return mine.get();
      }
      asking = true;
      upcoming = new Round<>();
    } finally {
      lock.unlock();
    }
    return ask(mine);
  }

  private T ask(Round<T> round) throws IOException {
    try {
      T answer = request.send();
      finish(round, answer, null);
      return answer;
    } catch (IOException e) {
      finish(round, null, e);
      throw e;
    } catch (RuntimeException | Error e) {
      finish(round, null, new IOException(what + ": cannot be read", e));
      throw e;
    }
  }

  private void finish(Round<T> round, T answer, IOException failure) {
    lock.lock();
    try {
      round.over = true;
      round.answer = answer;
      round.failure = failure;
      asking = false;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }
}
