// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench;

import java.io.Closeable;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * Servers, forked JVMs and other programs that a run starts: none of them outlives it, however it
 * ends, unless the JVM is killed outright.
 */
final class ChildProcesses implements Closeable {
  private static final int ROUNDS = 100;
  private static final int SECONDS_TO_END = 10;

  private final Set<ProcessHandle> others;
  private final Thread atExit;

  /**
   * From now on, processes belong to the run.
   *
   * @param progress of the run; told of no further case once the JVM ends
   */
  ChildProcesses(Progress progress) {
    others = ProcessHandle.current().descendants().collect(Collectors.toSet());
    atExit = new Thread(() -> endWithout(progress), "end processes");
    Runtime.getRuntime().addShutdownHook(atExit);
  }

  /** The next case would start processes: it waits for the progress until the JVM is gone. */
  private void endWithout(Progress progress) {
    synchronized (progress) {
      end();
    }
  }

  /** Ends them, also those that one of them or a suite was just starting. */
  private void end() {
    List<ProcessHandle> left = left();
    for (int round = 0; round < ROUNDS && !left.isEmpty(); round++) {
      left.forEach(ProcessHandle::destroyForcibly);
      left.forEach(p -> p.onExit().completeOnTimeout(p, SECONDS_TO_END, TimeUnit.SECONDS).join());
      left = left();
    }
  }

  private List<ProcessHandle> left() {
    return ProcessHandle.current().descendants().filter(p -> !others.contains(p)).toList();
  }

  @Override
  public void close() {
    end();
    Runtime.getRuntime().removeShutdownHook(atExit);
  }
}
