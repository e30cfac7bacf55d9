// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.e2e.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A {@code jgit-s3 serve} in a JVM of its own, on a free port of the loopback interface. */
public final class ServerProcess implements RunningServer {
  private static final Pattern ANNOUNCED = Pattern.compile("http://127\\.0\\.0\\.1:\\d+/");
  private static final Pattern MOST_RESIDENT = Pattern.compile("VmHWM:\\s+(\\d+) kB");
  private static final int HEAP_MEGABYTES = 512;

  /** Unit of {@code ulimit -f}, in bytes. */
  private static final int POSIX_BLOCK = 512;

  private static final long START_SECONDS = 180;
  private static final long STOP_SECONDS = 300;

  private final Process process;
  private final Path log;
  private final URI uri;

  private ServerProcess(Process process, Path log, URI uri) {
    this.process = process;
    this.log = log;
    this.uri = uri;
  }

  /** Starts a server and waits until it says where it listens. */
  public static ServerProcess start(ServedStore store, String... options) throws IOException {
    List<String> jvm = new ArrayList<>(Command.BRIEF);
    jvm.add("-Xmx" + HEAP_MEGABYTES + "m");
    return start(Command.javaCommand(jvm, serve(store, options)), store);
  }

  /**
   * Starts a server with a heap of so many MiB, all of which it takes at once, and waits until it
   * says where it listens. What it takes later is no heap.
   */
  public static ServerProcess startWithWholeHeap(
      int megabytes, ServedStore store, String... options) throws IOException {
    List<String> jvm = new ArrayList<>(jvmOptions(megabytes));
    jvm.addAll(List.of("-Xms" + megabytes + "m", "-XX:+AlwaysPreTouch"));
    return start(Command.javaCommand(jvm, serve(store, options)), store);
  }

  /**
   * Starts a server that can write no file of more than so many MiB, its log included, as on a disk
   * that has no more room, and waits until it says where it listens.
   */
  public static ServerProcess startWithLargestFile(
      int megabytes, ServedStore store, String... options) throws IOException {
    List<String> line = new ArrayList<>(List.of("sh", "-c", "ulimit -f \"$0\" && exec \"$@\""));
    line.add(String.valueOf(megabytes * ((1 << 20) / POSIX_BLOCK)));
    line.addAll(Command.javaCommand(jvmOptions(HEAP_MEGABYTES), serve(store, options)));
    return start(line, store);
  }

  /**
   * Starts a server whose log goes to a file that is there, and waits until it says where it
   * listens.
   */
  public static ServerProcess startWithLog(Path stderr, ServedStore store, String... options)
      throws IOException {
    List<String> jvm = new ArrayList<>(Command.BRIEF);
    jvm.add("-Xmx" + HEAP_MEGABYTES + "m");
    Path out = Files.createTempFile("jgit-s3-serve", ".out");
    return start(Command.javaCommand(jvm, serve(store, options)), store, out, stderr);
  }

  private static List<String> serve(ServedStore store, String... options) {
    List<String> args = new ArrayList<>(store.options());
    args.addAll(List.of("serve", "--listen", "127.0.0.1:0"));
    args.addAll(List.of(options));
    return args;
  }

  private static ServerProcess start(List<String> line, ServedStore store) throws IOException {
    Path log = Files.createTempFile("jgit-s3-serve", ".log");
    return start(line, store, log, log);
  }

  private static ServerProcess start(List<String> line, ServedStore store, Path log, Path stderr)
      throws IOException {
    Process process = Command.start(line, store.environment(), log.toFile(), stderr.toFile());
    try {
      return new ServerProcess(process, log, awaitAnnouncement(process, log));
    } catch (AssertionError failed) {
      process.destroyForcibly();
      throw failed;
    }
  }

  /** As the launcher does. */
  private static List<String> jvmOptions(int megabytes) {
    List<String> options = new ArrayList<>(List.of("-Xmx" + megabytes + "m"));
    if (Runtime.version().feature() < 22) {
      options.add("-XX:+UnlockDiagnosticVMOptions");
      options.add("-XX:GCLockerRetryAllocationCount=1000");
    }
    return options;
  }

  @Override
  public URI uri() {
    return uri;
  }

  /** Output of the server so far. */
  public String log() {
    try {
      return Files.readString(log);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Lines of its output so far, but for accesses and the address where it listens. */
  public List<String> complaints() {
    return log()
        .lines()
        .filter(line -> !line.contains(uri.toString()) && !line.contains(" access: "))
        .toList();
  }

  /** Most memory that the server has taken so far, in MiB, as the kernel counts it. */
  public int mostResidentMegabytes() throws IOException {
    String status = Files.readString(Path.of("/proc/" + process.pid() + "/status"));
    Matcher most = MOST_RESIDENT.matcher(status);
    assertThat(most.find()).as(status).isTrue();
    return Integer.parseInt(most.group(1)) >> 10;
  }

  /** Files that the server has open below a directory, deleted ones included. */
  public List<String> filesInUse(Path directory) throws IOException {
    List<String> files = new ArrayList<>();
    try (var open = Files.newDirectoryStream(Path.of("/proc/" + process.pid() + "/fd"))) {
      for (Path descriptor : open) {
        files.add(target(descriptor));
      }
    }
    files.removeIf(file -> !file.startsWith(directory + "/"));
    return files;
  }

  private static String target(Path descriptor) throws IOException {
    try {
      return Files.readSymbolicLink(descriptor).toString();
    } catch (NoSuchFileException closed) {
      return ""; // meanwhile
    }
  }

  /** Asks the server to end, as a service manager does, without waiting for it. */
  public void terminate() {
    process.destroy();
  }

  /** Ends the server at once, as a power cut does. */
  public void kill() {
    process.destroyForcibly();
    awaitEnd();
  }

  /** Waits until the server has ended and returns its exit code. */
  public int awaitEnd() {
    try {
      if (!process.waitFor(STOP_SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly();
        throw new AssertionError("server did not end within " + STOP_SECONDS + " s\n" + log());
      }
      return process.exitValue();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    }
  }

  @Override
  public void close() throws IOException {
    terminate();
    awaitEnd();
    Files.deleteIfExists(log);
  }

  private static URI awaitAnnouncement(Process process, Path log) throws IOException {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(START_SECONDS);
    while (System.nanoTime() < deadline) {
      boolean ended = awaitEndBriefly(process);
      Matcher announced = ANNOUNCED.matcher(Files.readString(log));
      if (announced.find()) {
        return URI.create(announced.group());
      }
      if (ended) {
        break;
      }
    }
    throw new AssertionError("server did not start\n" + Files.readString(log));
  }

  private static boolean awaitEndBriefly(Process process) {
    try {
      return process.waitFor(20, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    }
  }
}
