// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.process;

import java.io.Closeable;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;

/**
 * Programs and resources that must not outlive this JVM, however it ends, unless it is killed
 * outright. Once it is asked to end, no further program is started, those that run are ended, and
 * then every open resource is closed. Thread-safe.
 */
public final class Leftovers {
  private static final int ROUNDS = 100;
  private static final int SECONDS_TO_END = 10;
  private static final long PAUSE_MILLIS = 20;

  /** Within this time this JVM knows that it is to end if what it has started was told, too. */
  private static final long NANOS_TO_KNOW = TimeUnit.SECONDS.toNanos(2);

  private static final long NANOS_TO_CLOSE = TimeUnit.SECONDS.toNanos(5);

  /** Processes below this JVM before it started any. */
  private static final Set<ProcessHandle> OTHERS =
      ProcessHandle.current().descendants().collect(Collectors.toSet());

  /** Guarded by this class, as the other. */
  private static final List<Closeable> TO_CLOSE = new ArrayList<>();

  private static boolean ending;

  private static final Thread AT_END = new Thread(Leftovers::end, "clear leftovers");

  static {
    Runtime.getRuntime().addShutdownHook(AT_END);
  }

  private Leftovers() {}

  /**
   * Starts a program that does not outlive this JVM. Does not return once that has been asked to
   * end.
   *
   * @param program the program
   * @return its process
   * @throws IOException if it cannot be started
   */
  public static synchronized Process start(ProcessBuilder program) throws IOException {
    proceed();
    return program.start();
  }

  /**
   * Runs a program that does not outlive this JVM to its end.
   *
   * @param program the program
   * @param limit how long it may take; it is ended then, with what it has started
   * @return its exit code; empty if it took longer
   * @throws IOException if it cannot be started
   * @throws InterruptedException if the thread was interrupted; the program is gone
   */
  public static OptionalInt run(ProcessBuilder program, Duration limit)
      throws IOException, InterruptedException {
    Process process = start(program);
    try {
      return process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS)
          ? OptionalInt.of(process.exitValue())
          : OptionalInt.empty();
    } finally {
      end(process);
    }
  }

  /**
   * Ends a program and what it has started, unless it has ended.
   *
   * @param process the program
   */
  public static void end(Process process) {
    List<ProcessHandle> started = process.descendants().toList();
    started.forEach(ProcessHandle::destroyForcibly);
    process.destroyForcibly().onExit().join();
    started.forEach(Leftovers::awaitEnd);
  }

  /**
   * Returns at once as a rule, and never once this JVM has been asked to end: for a thread that
   * would otherwise go on with the next step, or tell of failures that are due to the end.
   */
  public static synchronized void proceed() {
    while (ending) {
      try {
        Leftovers.class.wait();
      } catch (InterruptedException e) {
        // the JVM ends all the same
      }
    }
  }

  /**
   * Waits for a moment after something has failed, and does not return if this JVM is asked to end
   * within it: Ctrl-C interrupts all that runs in a terminal at the same time, so that programs may
   * have ended, and requests to them have failed, before this JVM knows.
   */
  public static synchronized void failed() {
    long start = System.nanoTime();
    long left = NANOS_TO_KNOW;
    while (!ending && left > 0) {
      try {
        TimeUnit.NANOSECONDS.timedWait(Leftovers.class, left);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        break;
      }
      left = NANOS_TO_KNOW - (System.nanoTime() - start);
    }
    proceed();
  }

  /**
   * Something that has to be closed before this JVM ends, after all programs have ended. Does not
   * return once that has been asked to end.
   *
   * @param closeable what to close; again for some seconds if that fails
   */
  public static synchronized void add(Closeable closeable) {
    proceed();
    TO_CLOSE.add(closeable);
  }

  /**
   * Removes a resource that needs no closing any more. Does not return once this JVM has been asked
   * to end, because its caller may then have failed to clear up.
   *
   * @param closeable the resource
   */
  public static synchronized void remove(Closeable closeable) {
    if (Thread.currentThread() != AT_END) {
      proceed();
    }
    TO_CLOSE.removeIf(other -> other == closeable);
  }

  private static void end() {
    synchronized (Leftovers.class) {
      ending = true;
      Leftovers.class.notifyAll();
    }
    endPrograms();
    for (Closeable closeable : toClose()) {
      close(closeable);
    }
    endPrograms(); // JMH knows nothing of this, and may have started one meanwhile
  }

  private static synchronized List<Closeable> toClose() {
    List<Closeable> lastFirst = new ArrayList<>(TO_CLOSE);
    Collections.reverse(lastFirst);
    return lastFirst;
  }

  /** Ends them, also those that one of them or JMH was just starting. */
  private static void endPrograms() {
    List<ProcessHandle> left = programs();
    for (int round = 0; round < ROUNDS && !left.isEmpty(); round++) {
      left.forEach(ProcessHandle::destroyForcibly);
      left.forEach(Leftovers::awaitEnd);
      left = programs();
    }
  }

  private static void awaitEnd(ProcessHandle program) {
    program.onExit().completeOnTimeout(program, SECONDS_TO_END, TimeUnit.SECONDS).join();
  }

  private static List<ProcessHandle> programs() {
    return ProcessHandle.current().descendants().filter(p -> !OTHERS.contains(p)).toList();
  }

  /** A thread that works in a directory until the very end may put something into it once more. */
  private static void close(Closeable closeable) {
    long start = System.nanoTime();
    while (true) {
      try {
        closeable.close();
        return;
      } catch (IOException e) {
        if (System.nanoTime() - start > NANOS_TO_CLOSE) {
          System.err.println("jgit-s3-bench: " + e.getMessage());
          return;
        }
      }
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(PAUSE_MILLIS));
    }
  }
}
