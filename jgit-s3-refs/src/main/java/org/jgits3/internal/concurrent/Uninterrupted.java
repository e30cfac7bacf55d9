// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.concurrent;

/** Waits that an interrupt does not end. The interrupted status is restored when they end. */
public final class Uninterrupted {
  private Uninterrupted() {}

  /**
   * A wait, or work with waits in it.
   *
   * @param <E> type of its failure
   */
  @FunctionalInterface
  public interface Wait<E extends Exception> {
    /**
     * Waits. Called again after an interrupt.
     *
     * @throws InterruptedException if the thread is interrupted
     */
    void await() throws E, InterruptedException;

    /** Called when the thread was interrupted, before it waits again. */
    default void interrupted() {}
  }

  /**
   * Waits to the end, as a thread that is not interrupted.
   *
   * @throws E if the work fails
   */
  public static <E extends Exception> void await(Wait<E> wait) throws E {
    boolean interrupted = false;
    try {
      while (true) {
        if (Thread.interrupted()) {
          interrupted = true;
          wait.interrupted();
        }
        try {
          wait.await();
          return;
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
