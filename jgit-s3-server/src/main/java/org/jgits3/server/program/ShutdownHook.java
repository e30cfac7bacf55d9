// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.program;

import java.io.Closeable;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jgits3.S3RepositoryManager;
import org.jgits3.server.terminal.ProgressBar;

/**
 * Ends a command in an orderly way when the process is told to stop. A JVM runs all shutdown hooks
 * concurrently, and waits for no other thread. Therefore a single hook stops the command, and waits
 * until the command has closed its resources and printed why it failed.
 *
 * <p>Used by the thread that runs the command, and by the hook.
 */
public final class ShutdownHook implements Closeable {
  /** Maximum time that a stopped command may take to remove unfinished work. */
  private static final Duration CLEANING = Duration.ofSeconds(10);

  private final CountDownLatch ended = new CountDownLatch(1);
  private Optional<Thread> hook = Optional.empty();

  /** Set by the hook. */
  private volatile boolean told;

  /**
   * Sets the action to run when the process is told to stop. Called at most once.
   *
   * @param stop stops the command, and waits for it by {@link #await}; run by another thread
   * @throws IllegalStateException if the process was told to stop already
   */
  public void atSignal(Runnable stop) {
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

  /** Tests whether the command was told to stop. */
  boolean isTold() {
    return told;
  }

  /**
   * Aborts the uploads of the command when the process is told to stop, so that it fails and cleans
   * up. Commits stay complete.
   *
   * @param manager manager that the command uploads through
   * @param progress progress of the command
   */
  public void giveUpAtSignal(S3RepositoryManager manager, ProgressBar progress) {
    atSignal(
        () -> {
          progress.cancel();
          manager.store().endRetries();
          manager.uploads().close();
          await(CLEANING);
        });
  }

  /** Interrupts the command when the process is told to stop, so that it fails and cleans up. */
  public void interruptAtSignal() {
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
   * @param limit maximum time to wait
   * @return true if it has ended
   */
  public boolean await(Duration limit) {
    try {
      return ended.await(limit.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  /** Notes that the command has ended, so that the process may end. */
  @Override
  public void close() {
    ended.countDown();
    hook.ifPresent(ShutdownHook::forget);
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
