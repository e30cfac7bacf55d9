// SPDX-License-Identifier: Apache-2.0
package org.jgits3.gerrit.e2e.tools;

import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/** The programs that a run starts; none outlives the run. */
public final class Programs implements AutoCloseable {
  private static final long MOST_MINUTES = 30;

  /** Time that a program has to end by itself. */
  private static final long END_SECONDS = 60;

  // Linux gives clients ports from 32768 on.
  private static final int LOWEST_PORT = 20_000;
  private static final int HIGHEST_PORT = 32_000;
  private static final int ATTEMPTS = 100;

  private final Set<Process> running = ConcurrentHashMap.newKeySet();
  private boolean closed;

  public Programs() {
    Runtime.getRuntime().addShutdownHook(new Thread(this::close));
  }

  /** What a program that ended has said. */
  public record Result(int exitCode, String output) {
    public String ok() throws IOException {
      if (exitCode != 0) {
        throw new IOException("exit code " + exitCode + ": " + output);
      }
      return output;
    }
  }

  public synchronized Process start(
      Path directory, Map<String, String> environment, File log, List<String> command)
      throws IOException {
    if (closed) {
      throw new IOException("the run ends");
    }
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.directory(directory.toFile()).redirectErrorStream(true);
    builder.redirectOutput(ProcessBuilder.Redirect.appendTo(log));
    builder.redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")));
    builder.environment().putAll(environment);
    Process process = builder.start();
    running.add(process);
    return process;
  }

  public Result run(Path directory, Map<String, String> environment, List<String> command)
      throws IOException, InterruptedException {
    return run(directory, environment, command, MOST_MINUTES);
  }

  /** Runs a program, and ends it after some minutes. */
  public Result run(
      Path directory, Map<String, String> environment, List<String> command, long mostMinutes)
      throws IOException, InterruptedException {
    Path log = Files.createTempFile(directory.toAbsolutePath().getParent(), "out", ".txt");
    Process process = start(directory, environment, log.toFile(), command);
    try {
      if (!process.waitFor(mostMinutes, TimeUnit.MINUTES)) {
        throw new IOException("still running: " + command);
      }
      return new Result(process.exitValue(), Files.readString(log));
    } finally {
      end(process);
      Files.delete(log);
    }
  }

  public Result run(Path directory, String... command) throws IOException, InterruptedException {
    return run(directory, Map.of(), List.of(command));
  }

  /** Command of a program of this module, which may use the library. */
  public static List<String> java(Class<?> program) {
    return new ArrayList<>(
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-cp",
            System.getProperty("java.class.path"),
            program.getName()));
  }

  /** Ends a program with what it started itself: politely first. */
  public void end(Process process) {
    List<ProcessHandle> all = new ArrayList<>(process.descendants().toList());
    all.add(process.toHandle());
    all.forEach(ProcessHandle::destroy);
    try {
      if (!process.waitFor(END_SECONDS, TimeUnit.SECONDS)) {
        all.forEach(ProcessHandle::destroyForcibly);
        process.waitFor();
      }
    } catch (InterruptedException e) {
      all.forEach(ProcessHandle::destroyForcibly);
      Thread.currentThread().interrupt();
    }
    running.remove(process);
  }

  /** Ends a program as a loss of power would. */
  public void kill(Process process) throws InterruptedException {
    process.destroyForcibly();
    process.waitFor();
    running.remove(process);
  }

  /** Pauses a program, and waits until none of its threads runs. */
  public void pause(Process process) throws IOException, InterruptedException {
    signal(process, "STOP");
    Path threads = Path.of("/proc", Long.toString(process.pid()), "task");
    while (process.isAlive() && Files.isDirectory(threads) && !allStopped(threads)) {
      Thread.sleep(1);
    }
  }

  private static boolean allStopped(Path threads) throws IOException {
    try (DirectoryStream<Path> all = Files.newDirectoryStream(threads)) {
      for (Path thread : all) {
        String stat = Files.readString(thread.resolve("stat"));
        if (stat.charAt(stat.lastIndexOf(')') + 2) != 'T') {
          return false;
        }
      }
      return true;
    } catch (NoSuchFileException e) {
      return false; // a thread has just ended
    }
  }

  /** Lets a paused program go on. */
  public void resume(Process process) throws IOException, InterruptedException {
    signal(process, "CONT");
  }

  private static void signal(Process process, String name)
      throws IOException, InterruptedException {
    int exitCode =
        new ProcessBuilder("kill", "-" + name, Long.toString(process.pid())).start().waitFor();
    if (exitCode != 0) {
      throw new IOException("kill -" + name + ": exit code " + exitCode);
    }
  }

  /** A port that is free now, and that no client of another server is given by chance. */
  public static int freePort() {
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
      int port = ThreadLocalRandom.current().nextInt(LOWEST_PORT, HIGHEST_PORT);
      try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
        return socket.getLocalPort();
      } catch (IOException e) {
        // in use
      }
    }
    throw new IllegalStateException("no free port from " + LOWEST_PORT + " to " + HIGHEST_PORT);
  }

  @Override
  public void close() {
    synchronized (this) {
      closed = true;
    }
    List<Process> all = List.copyOf(running);
    all.forEach(Process::destroy);
    all.forEach(this::end);
  }
}
