// SPDX-License-Identifier: Apache-2.0
package org.jgits3.stress.torture;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import org.jgits3.bench.process.JvmProgram;
import org.jgits3.bench.process.Leftovers;

/** JVMs that are killed, stopped and started again. Used by one thread. */
final class Workers implements Closeable {
  /** Makes the program of a process from its name, which is used once. */
  interface Programs {
    JvmProgram of(int worker, String name) throws IOException;
  }

  private static final int KILLED = 128 + 9;
  private static final int TOLD_TO_END = 128 + 15;

  /** Exit code of a program that cannot reach the store when it starts. */
  private static final int NOT_STARTED = 1;

  private static final Set<Integer> EXPECTED = Set.of(0, NOT_STARTED, KILLED, TOLD_TO_END);

  private final Programs programs;
  private final Path logs;
  private final List<Process> processes = new ArrayList<>();
  private final List<Integer> lives = new ArrayList<>();
  private final List<String> endedThemselves = new ArrayList<>();
  private final Map<Process, Long> stopped = new HashMap<>(); // until when
  private long kills;
  private long stops;

  Workers(Programs programs, Path logs) {
    this.programs = programs;
    this.logs = logs;
  }

  /** Starts the first life of each. */
  void start(int number) throws IOException {
    for (int i = 0; i < number; i++) {
      lives.add(0);
      processes.add(launch(i));
    }
  }

  private String name(int worker) {
    return worker + "." + lives.get(worker);
  }

  private Process launch(int worker) throws IOException {
    return programs.of(worker, name(worker)).start(logs.resolve("worker-" + name(worker) + ".log"));
  }

  /** Kills one, as by {@code kill -9}, and starts its next life. */
  void kill(RandomGenerator random) throws IOException {
    int worker = random.nextInt(processes.size());
    Process process = processes.get(worker);
    noteEnd(worker);
    process.destroyForcibly().onExit().join();
    kills++;
    next(worker);
  }

  /** Starts those again that could not reach the store when they started. */
  void revive() throws IOException {
    for (int i = 0; i < processes.size(); i++) {
      Process process = processes.get(i);
      if (!process.isAlive() && process.exitValue() == NOT_STARTED) {
        next(i);
      }
    }
  }

  private void next(int worker) throws IOException {
    lives.set(worker, lives.get(worker) + 1);
    processes.set(worker, launch(worker));
  }

  /** Stops one for some time, as a machine does that is suspended; see {@link #resume}. */
  void stop(RandomGenerator random, long millis) throws IOException, InterruptedException {
    Process process = processes.get(random.nextInt(processes.size()));
    if (process.isAlive() && !stopped.containsKey(process)) {
      signal("STOP", process);
      stopped.put(process, System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis));
      stops++;
    }
  }

  /** Lets those go on that have been stopped for long enough. */
  void resume() throws IOException, InterruptedException {
    for (Process process : List.copyOf(stopped.keySet())) {
      if (System.nanoTime() > stopped.get(process)) {
        resume(process);
      }
    }
  }

  private void resume(Process process) throws IOException, InterruptedException {
    stopped.remove(process);
    if (process.isAlive()) {
      signal("CONT", process);
    }
  }

  private static void signal(String name, Process process)
      throws IOException, InterruptedException {
    Process kill = Leftovers.start(new ProcessBuilder("kill", "-" + name, "" + process.pid()));
    if (kill.waitFor() != 0 && process.isAlive()) {
      throw new IOException("kill -" + name + " failed");
    }
  }

  /** A process that ends by itself has met what none may meet. */
  private void noteEnd(int worker) {
    Process process = processes.get(worker);
    if (!process.isAlive() && !EXPECTED.contains(process.exitValue())) {
      endedThemselves.add(
          "anomaly: a worker ended by itself with "
              + process.exitValue()
              + "; see "
              + logs.resolve("worker-" + name(worker) + ".log"));
    }
  }

  /** Tells one to end. */
  void end(int worker) {
    processes.get(worker).destroy();
  }

  /** Waits for the end of all, and kills those that do not end. */
  void awaitEnd(long seconds) throws IOException, InterruptedException {
    for (Process process : List.copyOf(stopped.keySet())) {
      resume(process);
    }
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
    for (int i = 0; i < processes.size(); i++) {
      long left = Math.max(1, deadline - System.nanoTime());
      if (!processes.get(i).waitFor(left, TimeUnit.NANOSECONDS)) {
        endedThemselves.add(
            "anomaly: a worker does not end; see " + logs.resolve("worker-" + name(i) + ".log"));
      } else {
        noteEnd(i);
      }
    }
    close();
  }

  long kills() {
    return kills;
  }

  long stops() {
    return stops;
  }

  /** Processes that did not end as they should, a line each. */
  List<String> endedThemselves() {
    return List.copyOf(endedThemselves);
  }

  @Override
  public void close() {
    processes.forEach(Leftovers::end);
  }
}
