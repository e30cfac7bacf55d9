// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.catalog;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.TimeUnit;
import org.jgits3.internal.commit.VirtualTime;
import org.jgits3.internal.function.IoRunnable;
import org.jgits3.manifest.RepositoryName;
import org.jgits3.store.DelegatingObjectStore;
import org.jgits3.store.GetResult;
import org.jgits3.store.ObjectStore;
import org.jgits3.store.ObjectVersion;
import org.jgits3.store.Precondition;
import org.jgits3.store.PutOutcome;

/**
 * A process that uses a catalog, on a thread of its own. Each of its requests waits until the test
 * sends it. Pauses take no time.
 */
final class SteppedProcess<T> implements AutoCloseable {
  private static final int SECONDS = 60;

  private final VirtualTime time = new VirtualTime();
  private final CompletableFuture<T> result = new CompletableFuture<>();
  private final SynchronousQueue<Optional<String>> requests = new SynchronousQueue<>();
  private final SynchronousQueue<Fate> fates = new SynchronousQueue<>();
  private final IoRunnable afterEach;
  private Optional<String> next;
  private volatile boolean killed;

  /** What becomes of a request. */
  private enum Fate {
    ANSWERED,
    WITHOUT_ANSWER,
    KILLED
  }

  /** An operation on a catalog. */
  @FunctionalInterface
  interface Operation<T> {
    T on(RepositoryCatalog catalog) throws IOException;
  }

  /** The end of a process that is killed, which it cannot catch. */
  private static final class Killed extends Error {
    private static final long serialVersionUID = 1;
  }

  /**
   * Begins an operation, up to its first request.
   *
   * @param store the store that it shares with other processes
   * @param operation the operation
   * @param afterEach a check that is made after each request
   */
  SteppedProcess(ObjectStore store, Operation<T> operation, IoRunnable afterEach) throws Exception {
    this.afterEach = afterEach;
    RepositoryCatalog catalog =
        new RepositoryCatalog(
            new Stepped(store), Duration.ofMinutes(1), time, new SplittableRandom(1));
    Thread thread =
        new Thread(
            () -> {
              try {
                result.complete(operation.on(catalog));
              } catch (Throwable e) {
                result.completeExceptionally(e);
              }
              hand(requests, Optional.empty());
            },
            "stepped");
    thread.setDaemon(true);
    thread.start();
    next = take(requests);
  }

  /** Sends requests up to one, which is not sent yet. */
  void upTo(String request) throws IOException {
    while (!next.equals(Optional.of(request))) {
      assertThat(next).as("it has not ended before " + request).isPresent();
      send();
    }
  }

  /** Sends requests up to a write, which is not sent yet. */
  void upToPut() throws IOException {
    while (next.filter(request -> request.startsWith("PUT ")).isEmpty()) {
      send();
    }
  }

  /** Sends the next request, and waits for the one after it. */
  void send() throws IOException {
    proceed(Fate.ANSWERED);
    afterEach.run();
  }

  /** Sends the next request, a PUT, whose answer is lost. */
  void sendWithoutAnswer() throws IOException {
    proceed(Fate.WITHOUT_ANSWER);
    afterEach.run();
  }

  /** The request that is sent next, such as {@code PUT pointer a}; empty at the end. */
  Optional<String> next() {
    return next;
  }

  /** Sends all other requests, and returns or throws what the operation does. */
  T end() throws Exception {
    while (next.isPresent()) {
      send();
    }
    try {
      return result.get(SECONDS, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      throw e.getCause() instanceof Exception cause ? cause : e;
    }
  }

  /** Time that its pauses have taken. */
  Duration paused() {
    return Duration.ofNanos(time.nanoTime());
  }

  /** Kills it. The next request is never sent. */
  @Override
  public void close() {
    killed = true;
    if (next.isPresent()) {
      proceed(Fate.KILLED);
    }
  }

  private void proceed(Fate fate) {
    hand(fates, fate);
    next = take(requests);
  }

  private static <E> void hand(SynchronousQueue<E> queue, E element) {
    try {
      assertThat(queue.offer(element, SECONDS, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private static <E> E take(SynchronousQueue<E> queue) {
    try {
      E element = queue.poll(SECONDS, TimeUnit.SECONDS);
      assertThat(element).isNotNull();
      return element;
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  /** A store whose requests wait. */
  private final class Stepped extends DelegatingObjectStore {
    Stepped(ObjectStore store) {
      super(store);
    }

    private Fate fate(String kind, String key) {
      String object =
          RepositoryName.fromPointerKey(key).map(name -> "pointer " + name).orElse("manifest");
      if (!killed) {
        hand(requests, Optional.of(kind + " " + object));
        Fate fate = take(fates);
        if (fate != Fate.KILLED) {
          return fate;
        }
      }
      throw new Killed();
    }

    @Override
    public GetResult get(String key, Optional<ObjectVersion> known) throws IOException {
      assertThat(fate("GET", key)).isEqualTo(Fate.ANSWERED);
      return super.get(key, known);
    }

    @Override
    public PutOutcome putIf(String key, byte[] body, Precondition condition) throws IOException {
      Fate fate = fate("PUT", key);
      PutOutcome outcome = super.putIf(key, body, condition);
      return fate == Fate.ANSWERED ? outcome : new PutOutcome.Unknown("no answer");
    }
  }
}
