// SPDX-License-Identifier: Apache-2.0
package org.jgits3.testing;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * A heap without room for the smallest object, so that whatever allocates fails, in a JVM of its
 * own. What is to be looked at is done once before, with room: classes are loaded then.
 */
public final class FullHeap {
  /**
   * A test with a full heap. Which thread of a JVM asks for memory next is not up to the test, so
   * that a good run proves more than a bad one; it is run by hand: {@code mvn -B -pl jgit-s3-refs
   * test -Dtest='FullHeapTest,ManifestCommitterTest' -Dheap.full=true}.
   */
  @Target({ElementType.TYPE, ElementType.METHOD})
  @Retention(RetentionPolicy.RUNTIME)
  @EnabledIfSystemProperty(named = "heap.full", matches = "true")
  public @interface FillsTheHeap {}

  private static final List<String> OPTIONS =
      List.of("-Xmx40m", "-XX:+UseSerialGC", "-XX:-UseTLAB"); // no room of some thread's own

  private static final int LARGEST = 1 << 20;
  private static final long SECONDS_TO_END = 30;

  /** The objects that fill the heap, for all threads. */
  private static volatile Object held = new Link(null); // loads the class

  private FullHeap() {}

  /** The smallest object that refers to another. */
  @SuppressWarnings("UnusedVariable") // kept for what it keeps
  private static final class Link {
    private final Object next;

    Link(Object next) {
      this.next = next;
    }
  }

  /** The work of a program. */
  @FunctionalInterface
  public interface Task {
    /**
     * Does it.
     *
     * @throws Exception what the program is to end with
     */
    void run() throws Exception;
  }

  /**
   * Runs a program with a small heap.
   *
   * @param main the program, which calls {@link #during}
   * @param args its arguments
   * @return what it printed
   * @throws Exception if it cannot be run
   */
  public static String run(Class<?> main, String... args) throws Exception {
    return ForkedJvm.run(OPTIONS, main, args);
  }

  /**
   * Runs a task to its end, or until it is clear that it has none: what it would have printed is
   * missing then.
   *
   * @param task the task
   * @throws InterruptedException if the thread is interrupted
   */
  public static void during(Task task) throws InterruptedException {
    Thread thread = start(task);
    thread.join(TimeUnit.SECONDS.toMillis(SECONDS_TO_END));
  }

  /**
   * Starts a task that does not keep the JVM from ending.
   *
   * @param task the task
   * @return its thread
   */
  public static Thread start(Task task) {
    Thread thread =
        new Thread(
            () -> {
              try {
                task.run();
              } catch (Exception e) {
                throw new IllegalStateException(e);
              }
            });
    thread.setDaemon(true);
    thread.start();
    return thread;
  }

  /**
   * Waits until a thread waits for others, with or without a limit.
   *
   * @param thread the thread
   */
  public static void awaitWaiting(Thread thread) {
    while (thread.getState() != Thread.State.WAITING
        && thread.getState() != Thread.State.TIMED_WAITING) {
      Thread.onSpinWait();
    }
  }

  /** Fills the heap, until {@link #free}. */
  public static void fill() {
    for (int length = LARGEST; length > 0; length /= 2) {
      fillWith(length);
    }
    try {
      while (true) {
        held = new Link(held);
      }
    } catch (OutOfMemoryError e) {
      return; // full
    }
  }

  private static void fillWith(int length) {
    try {
      while (true) {
        Object[] next = new Object[length];
        next[0] = held;
        held = next;
      }
    } catch (OutOfMemoryError e) {
      return; // smaller ones may fit
    }
  }

  /**
   * Fills the heap and asks for more.
   *
   * @throws OutOfMemoryError always
   */
  public static void overflow() {
    fill();
    held = new Object[LARGEST];
  }

  /** Makes room again. */
  public static void free() {
    held = null;
  }

  /**
   * Does something in a full heap, which may fail for want of memory, and makes room again.
   *
   * @param full whether the heap is filled before
   * @param task what to do
   * @throws Exception if it fails otherwise
   */
  public static void inFull(boolean full, Task task) throws Exception {
    if (full) {
      fill();
    }
    tryInFull(task);
  }

  /**
   * Does something that may fill the heap and fail, and makes room again.
   *
   * @param task what to do
   * @throws Exception if it fails otherwise
   */
  public static void tryInFull(Task task) throws Exception {
    try {
      task.run();
    } catch (OutOfMemoryError e) {
      return; // as it may
    } finally {
      free();
    }
  }
}
