// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.concurrent;

import java.io.IOException;
import org.jgits3.internal.function.IoSupplier;

/**
 * A repeated request to a store, sent once at a time, whose answer is shared by all callers that
 * arrived before it was sent. A caller never joins a request that is under way: its answer may be
 * older than the call.
 *
 * <p>A caller joins the upcoming round under the lock; the caller that begins the round replaces it
 * by another one under the same lock before it sends the request. So all that share an answer had
 * arrived when the request was sent. A caller waits until its round is over, or until no request is
 * under way and it sends the request itself. The threads of callers suffice, and a caller waits
 * only for a running thread.
 *
 * <p>Safe for use by many threads. An interrupt does not end the wait for an answer; it stays set.
 * A request that fails, with an {@link Error} too, leaves no caller waiting.
 *
 * @param <T> type of the answer
 */
public final class SharedRequest<T> {
  private final String what;
  private final IoSupplier<T> request;

  // Guarded by this.
  private Round<T> upcoming = new Round<>();
  private boolean asking;

  /** One request and its answer or failure. */
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
   * @param request sends the request; never called by two threads at once. All callers that share a
   *     failed request fail with its exception
   */
  public SharedRequest(String what, IoSupplier<T> request) {
    this.what = what;
    this.request = request;
  }

  /**
   * Sends the request, or waits for the answer to one.
   *
   * @return the answer of a request that began after this call did
   * @throws IOException if that request failed
   */
  public T get() throws IOException {
    Round<T> mine;
    synchronized (this) {
      mine = upcoming;
      Uninterrupted.await(
          () -> {
            while (!mine.over && asking) {
              wait();
            }
          });
      if (mine.over) {
        return mine.get(what);
      }
      upcoming = new Round<>();
      asking = true;
    }
    try {
      mine.answer = request.get();
      return mine.answer;
    } catch (IOException | RuntimeException | Error e) {
      mine.failure = e;
      throw e;
    } finally {
      synchronized (this) {
        mine.over = true;
        asking = false;
        notifyAll();
      }
    }
  }
}
