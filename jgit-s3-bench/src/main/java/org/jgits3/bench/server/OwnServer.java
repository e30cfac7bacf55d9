// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.server;

import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jgits3.bench.process.FreePort;
import org.jgits3.bench.process.Installer;
import org.jgits3.bench.process.Leftovers;
import org.jgits3.bench.process.ScratchDirectory;

/**
 * A versitygw on 127.0.0.1 that was started for this suite, and serves the directories of a
 * directory as buckets. It keeps connections open, as S3 does and versitygw by default does not.
 * Ends with {@link #close}, and with this JVM.
 */
public final class OwnServer implements S3Session {
  private static final String NAME = "versitygw";
  private static final Duration READY_WITHIN = Duration.ofMinutes(2);

  private final Process process;
  private final S3Endpoint endpoint;
  private final Path buckets;
  private final ScratchDirectory scratch;

  private OwnServer(Process process, String address, Path buckets, ScratchDirectory scratch) {
    this.process = process;
    this.endpoint = S3Endpoint.own(URI.create("http://" + address));
    this.buckets = buckets;
    this.scratch = scratch;
  }

  /**
   * Starts the server, and installs it first where it is missing.
   *
   * @param root directory of the sources
   * @param buckets directory that has a directory per bucket
   * @param log file for what it prints
   * @return the server, ready for requests
   * @throws IOException if it cannot be installed or does not start
   * @throws InterruptedException if the thread was interrupted
   */
  public static OwnServer start(Path root, Path buckets, Path log)
      throws IOException, InterruptedException {
    ScratchDirectory scratch = ScratchDirectory.create(buckets.resolve(SCRATCH));
    try {
      InetSocketAddress address = freeAddress();
      String at = address.getAddress().getHostAddress() + ":" + address.getPort();
      Process process = Leftovers.start(program(program(root), at, buckets, log));
      awaitReady(process, address, log);
      OwnServer server = new OwnServer(process, at, buckets, scratch);
      server.endpoint.useHere();
      return server;
    } catch (IOException | InterruptedException e) {
      scratch.close();
      throw e;
    }
  }

  private static ProcessBuilder program(Path program, String address, Path buckets, Path log) {
    ProcessBuilder builder =
        new ProcessBuilder(
                program.toString(),
                "--port",
                address,
                "--keep-alive",
                "--quiet",
                "posix",
                buckets.toString())
            .redirectErrorStream(true)
            .redirectOutput(log.toFile());
    builder
        .environment()
        .putAll(
            Map.of(
                "ROOT_ACCESS_KEY", S3Endpoint.ACCESS_KEY,
                "ROOT_SECRET_KEY", S3Endpoint.SECRET_KEY));
    return builder;
  }

  private static Path program(Path root) throws IOException, InterruptedException {
    Optional<Path> installed = find(root);
    if (installed.isPresent()) {
      return installed.get();
    }
    Path installer = root.resolve("etc/test/" + NAME);
    String ended = Installer.run(installer);
    return find(root)
        .orElseThrow(() -> new IOException(NAME + " is missing: " + installer + " " + ended));
  }

  private static Optional<Path> find(Path root) {
    List<Path> places = new ArrayList<>();
    places.add(root.resolve("target/tools"));
    for (String place : System.getenv().getOrDefault("PATH", "").split(File.pathSeparator, -1)) {
      places.add(Path.of(place));
    }
    return places.stream()
        .map(place -> place.resolve(NAME).toAbsolutePath())
        .filter(Files::isExecutable)
        .findFirst();
  }

  private static InetSocketAddress freeAddress() throws IOException {
    InetAddress loopback = InetAddress.getByAddress(new byte[] {127, 0, 0, 1});
    return new InetSocketAddress(loopback, FreePort.find());
  }

  private static void awaitReady(Process process, InetSocketAddress address, Path log)
      throws IOException, InterruptedException {
    Instant deadline = Instant.now().plus(READY_WITHIN);
    while (!accepts(address)) {
      if (process.waitFor(20, TimeUnit.MILLISECONDS) || Instant.now().isAfter(deadline)) {
        Leftovers.end(process);
        throw new IOException(NAME + " does not start; see " + log);
      }
    }
  }

  private static boolean accepts(InetSocketAddress address) {
    try (Socket socket = new Socket()) {
      socket.connect(address, 1000);
      return true;
    } catch (IOException e) {
      return false; // not yet
    }
  }

  @Override
  public S3Endpoint endpoint() {
    return endpoint;
  }

  @Override
  public void createBucket(String name) throws IOException {
    Files.createDirectories(buckets.resolve(name));
  }

  @Override
  public Optional<Duration> processorTime() {
    return process.info().totalCpuDuration();
  }

  @Override
  public void close() throws IOException {
    endpoint.forgetHere();
    Leftovers.end(process);
    scratch.close();
  }
}
