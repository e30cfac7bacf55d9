// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.store.upload;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import org.jgits3.internal.concurrent.Cancellable;
import org.jgits3.internal.concurrent.FirstFailure;
import org.jgits3.internal.concurrent.Uninterrupted;
import org.jgits3.internal.function.IoSupplier;
import org.jgits3.store.UploadedPart;

/**
 * Parts of one upload that other threads send, so that the next part can be filled meanwhile. An
 * abort waits here for the last of them, because a part that arrived after it would stay in the
 * store. Safe for use by many threads.
 */
final class PartsInFlight {
  private final Executor threads;
  private final FirstFailure failure = new FirstFailure();

  // Guarded by this.
  private final Map<Object, Cancellable> parts = new HashMap<>();
  private final List<UploadedPart> acknowledged = new ArrayList<>();

  PartsInFlight(Executor threads) {
    this.threads = threads;
  }

  /**
   * Sends a part on another thread. If that fails, the next call of another method reports it.
   *
   * @param sending sends the part; its bytes do not change before {@code after} is called
   * @param after called once when the part has ended, whatever its outcome
   */
  void send(IoSupplier<UploadedPart> sending, Runnable after) {
    Object name = new Object();
    Cancellable part =
        new Cancellable(
            () -> acknowledged(sending.get()),
            failed -> {
              noteIfAny(failed); // first: a writer that gets the memory must see the failure
              try {
                after.run();
              } finally {
                ended(name);
              }
            });
    begun(name, part);
    try {
      threads.execute(part);
    } catch (RuntimeException | Error e) {
      failure.add(e);
      part.cancel(); // the executor may have queued the part before it failed
      part.run(); // only to end it, unless a thread has begun it
      throw e;
    }
  }

  private void noteIfAny(Throwable failed) {
    if (failed != null) {
      failure.add(failed);
    }
  }

  private synchronized void begun(Object name, Cancellable part) {
    parts.put(name, part);
  }

  private synchronized void acknowledged(UploadedPart part) {
    acknowledged.add(part);
  }

  private synchronized void ended(Object name) {
    parts.remove(name);
    notifyAll();
  }

  /**
   * Fails if a part has failed.
   *
   * @throws IOException the first failure
   */
  void check() throws IOException {
    failure.orReturn();
  }

  /**
   * Waits until all parts are acknowledged.
   *
   * @return the parts in the order of their numbers
   * @throws IOException the first failure
   * @throws InterruptedIOException if the thread is interrupted
   */
  synchronized List<UploadedPart> await() throws IOException {
    try {
      while (!parts.isEmpty() && !failure.isThere()) {
        wait();
      }
    } catch (InterruptedException e) {
      throw new InterruptedIOException("interrupted while parts were being sent");
    }
    check();
    return acknowledged.stream().sorted(Comparator.comparingInt(UploadedPart::number)).toList();
  }

  /**
   * Starts no more parts, cancels those in flight, and waits for their end even if the thread is
   * interrupted. Only then does an abort remove all parts.
   *
   * @param reason why
   */
  synchronized void stop(Throwable reason) {
    failure.add(reason);
    parts.forEach((name, part) -> part.cancel());
    Uninterrupted.await(
        () -> {
          while (!parts.isEmpty()) {
            wait();
          }
        });
  }
}
