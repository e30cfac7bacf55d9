// SPDX-License-Identifier: Apache-2.0
package org.jgits3.store;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Parts of one upload that other threads send. Safe for use by many threads. */
final class PartsInFlight {
  private static final Logger LOG = LoggerFactory.getLogger(PartsInFlight.class);

  private final Executor threads;

  // All guarded by this.
  private final Set<Part> parts = new HashSet<>();
  private final List<UploadedPart> acknowledged = new ArrayList<>();
  private Throwable failure;

  /** A part is not sent to its end, since the upload has failed or was given up meanwhile. */
  private static final class GivenUp extends StoreException {
    private static final long serialVersionUID = 1;

    GivenUp(String key) {
      super(key, key + ": the upload was given up", null);
    }
  }

  /** Sends a part, or a piece of one. */
  @FunctionalInterface
  interface Sending {
    /**
     * Sends it.
     *
     * @return the part that the store has acknowledged; empty if another piece will complete it
     */
    Optional<UploadedPart> send() throws IOException;
  }

  /**
   * A part that some thread will send. It is begun once, though a thread may find it among its work
   * that the caller was told could not be had.
   */
  private final class Part implements Runnable {
    private final Sending sending;
    private final Runnable after;
    private final AtomicBoolean begun = new AtomicBoolean();
    private final Cancellable attempt = new Cancellable();

    Part(Sending sending, Runnable after) {
      this.sending = sending;
      this.after = after;
    }

    @Override
    public void run() {
      if (begun.compareAndSet(false, true)) {
        try {
          attempt(this);
        } finally {
          end();
        }
      }
    }

    void refused(Throwable e) {
      if (begun.compareAndSet(false, true)) {
        try {
          failed(e);
        } finally {
          end();
        }
      }
    }

    /** Whatever fails, the part counts no more: who waits for the end of all would never return. */
    private void end() {
      try {
        after.run();
      } finally {
        ended(this);
      }
    }
  }

  PartsInFlight(Executor threads) {
    this.threads = threads;
  }

  /**
   * Sends a part by another thread. A failure is reported by the next call of another method.
   *
   * @param sending sends it; what it needs is not changed before {@code after} is called
   * @param after called after the last attempt, in any case
   */
  void send(Sending sending, Runnable after) {
    Part part = new Part(sending, after);
    try {
      begun(part);
      threads.execute(part);
    } catch (RuntimeException | Error e) {
      part.refused(e);
      throw e;
    }
  }

  private synchronized void begun(Part part) {
    parts.add(part);
  }

  private void attempt(Part part) {
    try {
      if (!hasFailed()) {
        part.attempt.run(() -> part.sending.send().ifPresent(this::acknowledged));
      }
    } catch (GivenUp e) {
      LOG.debug("{}", e.getMessage()); // the reason is known already
    } catch (IOException | RuntimeException | Error e) {
      failed(e); // before the memory is free, so that nobody goes on with it unaware
    }
  }

  /**
   * Makes a part that takes long end early. For use by whoever sends it.
   *
   * @param key what is uploaded
   * @throws StoreException if the upload has failed or was given up
   */
  void checkWanted(String key) throws StoreException {
    if (hasFailed()) {
      throw new GivenUp(key);
    }
  }

  private synchronized boolean hasFailed() {
    return failure != null;
  }

  private synchronized void acknowledged(UploadedPart part) {
    acknowledged.add(part);
  }

  private synchronized void failed(Throwable e) {
    if (failure == null) {
      failure = e;
    } else if (failure != e) {
      failure.addSuppressed(e);
    }
  }

  private synchronized void ended(Part part) {
    parts.remove(part);
    notifyAll();
  }

  /**
   * Says whether a part has failed.
   *
   * @throws IOException the first failure
   */
  synchronized void check() throws IOException {
    if (failure instanceof IOException e) {
      throw e;
    } else if (failure instanceof RuntimeException e) {
      throw e;
    } else if (failure instanceof Error e) {
      throw e;
    }
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
      while (!parts.isEmpty() && failure == null) {
        wait();
      }
    } catch (InterruptedException e) {
      InterruptedIOException interrupted =
          new InterruptedIOException("interrupted while parts were being sent");
      interrupted.initCause(e);
      throw interrupted;
    }
    check();
    return acknowledged.stream().sorted(Comparator.comparingInt(UploadedPart::number)).toList();
  }

  /**
   * Begins no more parts, cancels those that were begun, and waits for their end, however often the
   * thread is interrupted: only then an abort removes them all.
   *
   * @param reason why
   */
  synchronized void stop(Throwable reason) {
    if (failure == null) {
      failure = reason;
    }
    parts.forEach(part -> part.attempt.cancel());
    boolean interrupted = false;
    while (!parts.isEmpty()) {
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
}
