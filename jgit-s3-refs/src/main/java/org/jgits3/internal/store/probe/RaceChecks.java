// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.store.probe;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jgits3.internal.function.IoConsumer;
import org.jgits3.store.GetResult;
import org.jgits3.store.ObjectStore;
import org.jgits3.store.ObjectVersion;
import org.jgits3.store.Precondition;
import org.jgits3.store.PutOutcome;

/**
 * Conditional writes and reads of one object from many threads at once. A store that compares and
 * writes in two steps passes every sequential check and fails here.
 */
final class RaceChecks {
  private static final int UNREADABLE = -1;
  private static final int THREADS = 16;
  private static final int INCREMENTS = THREADS * 60;
  private static final int CREATIONS = 20;
  private static final int OVERWRITES = 100;

  /**
   * Maximum number of attempts: enough even if the last thread to try wins each increment. Ends the
   * check of a store that always refuses.
   */
  private static final int MAX_ATTEMPTS = INCREMENTS * 2;

  private final ProbeRun run;
  private final ObjectStore store;

  RaceChecks(ProbeRun run) {
    this.run = run;
    this.store = run.store();
  }

  void run() throws IOException {
    run.require("create-race", "one of many creations wins", this::create);
    run.require("update-race", "no update is lost between threads", this::update);
    run.require("torn-read", "a read never mixes two versions", this::readWhileWritten);
  }

  private Optional<String> create() throws IOException {
    for (int round = 0; round < CREATIONS; round++) {
      String key = run.key("race/create-" + round);
      AtomicInteger won = new AtomicInteger();
      AtomicInteger unknown = new AtomicInteger();
      race(
          THREADS,
          thread -> {
            PutOutcome outcome = store.putIf(key, body(thread), Precondition.absent());
            if (outcome instanceof PutOutcome.Won) {
              won.incrementAndGet();
            } else if (outcome instanceof PutOutcome.Unknown) {
              unknown.incrementAndGet();
            }
          });
      if (won.get() > 1 || won.get() + unknown.get() == 0) {
        return Optional.of(
            won
                + " of "
                + THREADS
                + " concurrent creations of one object were accepted; repositories would be lost");
      }
    }
    return Optional.empty();
  }

  private Optional<String> update() throws IOException {
    String key = run.key("race/update");
    if (!(store.putIf(key, body(0), Precondition.absent()) instanceof PutOutcome.Won)) {
      return Optional.of("the object to update could not be created");
    }
    AtomicInteger won = new AtomicInteger();
    AtomicInteger unknown = new AtomicInteger();
    AtomicBoolean lost = new AtomicBoolean();
    Set<ObjectVersion> replaced = ConcurrentHashMap.newKeySet();
    race(
        THREADS,
        thread -> {
          for (int i = 0; i < MAX_ATTEMPTS && !lost.get() && won.get() < INCREMENTS; i++) {
            if (!(store.get(key, Optional.empty()) instanceof GetResult.Found seen)
                || value(seen) == UNREADABLE) {
              lost.set(true);
              return;
            }
            PutOutcome outcome =
                store.putIf(key, body(value(seen) + 1), Precondition.matches(seen.version()));
            if (outcome instanceof PutOutcome.Won) {
              won.incrementAndGet();
              lost.compareAndSet(false, !replaced.add(seen.version()));
            } else if (outcome instanceof PutOutcome.Unknown) {
              unknown.incrementAndGet();
            }
          }
        });
    int value =
        store.get(key, Optional.empty()) instanceof GetResult.Found found
            ? value(found)
            : UNREADABLE;
    if (lost.get() || value < won.get() || value > won.get() + unknown.get()) {
      return Optional.of(
          "of "
              + won
              + " acknowledged increments "
              + value
              + " remained; concurrent pushes would lose updates");
    }
    return Optional.empty();
  }

  private Optional<String> readWhileWritten() throws IOException {
    String key = run.key("race/read");
    store.putIf(key, selfChecking(0), Precondition.absent());
    AtomicBoolean writing = new AtomicBoolean(true);
    AtomicBoolean torn = new AtomicBoolean();
    race(
        4,
        thread -> {
          if (thread == 0) {
            overwrite(key, writing);
            return;
          }
          while (writing.get() && !torn.get()) {
            if (!(store.get(key, Optional.empty()) instanceof GetResult.Found found)
                || !isWhole(found.bytes())) {
              torn.set(true);
            }
          }
        });
    return torn.get()
        ? Optional.of("a read saw a mixture of two versions; repositories would look damaged")
        : Optional.empty();
  }

  private void overwrite(String key, AtomicBoolean writing) throws IOException {
    try {
      for (int i = 1; i <= OVERWRITES; i++) {
        if (store.get(key, Optional.empty()) instanceof GetResult.Found found) {
          store.putIf(key, selfChecking(i), Precondition.matches(found.version()));
        }
      }
    } finally {
      writing.set(false);
    }
  }

  /** A body whose length and every byte follow from its first one. */
  private static byte[] selfChecking(int generation) {
    byte[] body = new byte[1 + generation * 6_007 % 60_013];
    Arrays.fill(body, (byte) generation);
    return body;
  }

  private static boolean isWhole(byte[] body) {
    return body.length > 0 && Arrays.equals(body, selfChecking(body[0]));
  }

  /** A number and something unique, so that no two bodies and hence no two versions are equal. */
  private static byte[] body(int value) {
    return String.format("%08d %s", value, UUID.randomUUID()).getBytes(US_ASCII);
  }

  /** The number in a body; {@link #UNREADABLE} if a store without atomic writes sent part of it. */
  private static int value(GetResult.Found found) {
    try {
      return found.bytes().length < 8
          ? UNREADABLE
          : Integer.parseInt(new String(found.bytes(), 0, 8, US_ASCII));
    } catch (NumberFormatException e) {
      return UNREADABLE;
    }
  }

  private static void race(int threads, IoConsumer<Integer> racer) throws IOException {
    List<Callable<Void>> racers = new ArrayList<>();
    for (int i = 0; i < threads; i++) {
      int thread = i;
      racers.add(
          () -> {
            racer.accept(thread);
            return null;
          });
    }
    ExecutorService executor = Executors.newFixedThreadPool(threads);
    try {
      for (Future<Void> each : executor.invokeAll(racers)) {
        each.get();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw (IOException) new InterruptedIOException("probe interrupted").initCause(e);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof IOException failure) {
        throw failure;
      }
      throw new IllegalStateException(e.getCause());
    } finally {
      executor.shutdownNow();
    }
  }
}
