// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.command;

import java.io.Closeable;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jgits3.S3RepositoryManager;

/**
 * Lets a command come to its end when the process is told to stop. The hooks of a JVM run all at
 * once, and it waits for them and for no other thread: so there is one hook, which makes the
 * command stop, and waits until it has closed what it opened and has said why it failed.
 *
 * <p>Used by the thread that runs the command, and by the hook.
 */
final class OrderlyEnd implements Closeable {
  /** How long a command that was made to stop may take to remove what it has left half done. */
  private static final Duration CLEANING = Duration.ofSeconds(10);

  private final CountDownLatch ended = new CountDownLatch(1);
  private Optional<Thread> hook = Optional.empty();

  /** Set by the hook. */
  private volatile boolean told;

  /**
   * Says what to do when the process is told to stop. Called once at most.
   *
   * @param stop makes the command stop, and waits for it by {@link #await}; run by another thread
   * @throws IllegalStateException if the process was told to stop already
   */
  void atSignal(Runnable stop) {
    Thread thread =
        new Thread(
            () -> {
              told = true;
              stop.run();
            },
            "jgit-s3-shutdown");
    Runtime.getRuntime().addShutdownHook(thread);
    hook = Optional.of(thread);
  }

  /** Whether the command was told to stop. */
  boolean isTold() {
    return told;
  }

  /**
   * Gives up what the command is uploading when the process is told to stop, so that it fails and
   * cleans up. What it commits then or has committed is whole as ever.
   *
   * @param manager what it uploads through
   * @param progress told of its work
   */
  void giveUpAtSignal(S3RepositoryManager manager, ProgressBar progress) {
    atSignal(
        () -> {
          progress.cancel();
          manager.store().endRetries();
          manager.uploads().close();
          await(CLEANING);
        });
    manager.uploads().keepOpenAtExit();
  }

  /** Interrupts the command when the process is told to stop, so that it fails and cleans up. */
  void interruptAtSignal() {
    Thread worker = Thread.currentThread();
    atSignal(
        () -> {
          worker.interrupt();
          await(CLEANING);
        });
  }

  /**
   * Waits until the command has ended.
   *
   * @param limit how long
   * @return whether it has
   */
  boolean await(Duration limit) {
    try {
      return ended.await(limit.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  /** The command has ended: the process may. */
  @Override
  public void close() {
    ended.countDown();
    hook.ifPresent(OrderlyEnd::forget);
    hook = Optional.empty();
  }

  private static void forget(Thread hook) {
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      return; // it is running, and about to end
    }
  }
}
