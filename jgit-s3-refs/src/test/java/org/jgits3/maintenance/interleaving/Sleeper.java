// SPDX-License-Identifier: Apache-2.0
package org.jgits3.maintenance.interleaving;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jgits3.store.StagedStore;

/**
 * Work that goes on, on a thread of its own, up to some request, and sleeps there until it is woken
 * up, as a process may that was suspended.
 */
final class Sleeper<T> implements AutoCloseable {
  private static final int SECONDS = 60;

  private final CompletableFuture<T> done = new CompletableFuture<>();
  private final CompletableFuture<Void> awake = new CompletableFuture<>();

  /**
   * Begins, and returns when the work has got to the request.
   *
   * @param before says before which request an action runs
   * @param work the work
   */
  Sleeper(Consumer<StagedStore.Action> before, Callable<T> work) throws Exception {
    CompletableFuture<Void> asleep = new CompletableFuture<>();
    before.accept(
        () -> {
          asleep.complete(null);
          awake.get(SECONDS, TimeUnit.SECONDS);
        });
    Thread thread =
        new Thread(
            () -> {
              try {
                done.complete(work.call());
              } catch (Throwable e) {
                done.completeExceptionally(e);
              }
            },
            "sleeper");
    thread.setDaemon(true);
    thread.start();
    CompletableFuture.anyOf(asleep, done).get(SECONDS, TimeUnit.SECONDS);
    assertThat(asleep).as("it has got to the request").isDone();
  }

  /** Lets it go on to its end, and returns or throws what it comes to. */
  T wake() throws Exception {
    awake.complete(null);
    try {
      return done.get(SECONDS, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      throw e.getCause() instanceof Exception cause ? cause : e;
    }
  }

  @Override
  public void close() {
    awake.complete(null);
  }
}
