// SPDX-License-Identifier: Apache-2.0
package org.jgits3.testing;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.eclipse.jgit.util.FileUtils;
import org.jgits3.store.ProbedService.Dialect;
import org.jgits3.testing.aid.FreePort;

/** Starts S3 servers whose program is installed on this machine, on 127.0.0.1 only. */
final class NativeS3Server {
  private static final String ACCESS_KEY = "jgits3test";
  private static final String SECRET_KEY = "jgits3test-secret";
  private static final Duration READY_WITHIN = Duration.ofMinutes(2);

  /** Another program may take the port before the server does. */
  private static final int ATTEMPTS = 3;

  private NativeS3Server() {}

  static Optional<S3Server> versitygw() {
    return program("versitygw")
        .map(
            program ->
                start(
                    "versitygw",
                    ACCESS_KEY,
                    SECRET_KEY,
                    Map.of("ROOT_ACCESS_KEY", ACCESS_KEY, "ROOT_SECRET_KEY", SECRET_KEY),
                    (address, data) ->
                        List.of(
                            program, "--port", address, "--quiet", "--keep-alive", "posix", data)));
  }

  static Optional<S3Server> minio() {
    return program("minio")
        .map(
            program ->
                start(
                    "minio",
                    ACCESS_KEY,
                    SECRET_KEY,
                    Map.of(
                        "MINIO_ROOT_USER",
                        ACCESS_KEY,
                        "MINIO_ROOT_PASSWORD",
                        SECRET_KEY,
                        "MINIO_BROWSER",
                        "off",
                        "MINIO_UPDATE",
                        "off"),
                    (address, data) ->
                        List.of(program, "server", "--quiet", "--address", address, data)));
  }

  /** Its only credentials are built in. */
  static Optional<S3Server> s3rver() {
    return program("s3rver")
        .map(
            program ->
                start(
                    "s3rver",
                    "S3RVER",
                    "S3RVER",
                    Map.of(),
                    (address, data) ->
                        List.of(
                            program,
                            "--address",
                            "127.0.0.1",
                            "--port",
                            address.substring(address.indexOf(':') + 1),
                            "--directory",
                            data)));
  }

  /** Command line of a program, with its address and its directory for objects. */
  private interface CommandLine {
    List<String> at(String address, String data);
  }

  private static Optional<String> program(String name) {
    List<Path> places = new ArrayList<>();
    places.add(Path.of(System.getProperty("project.root", "")).resolve("target/tools"));
    for (String place : System.getenv("PATH").split(File.pathSeparator, -1)) {
      places.add(Path.of(place));
    }
    return places.stream()
        .map(place -> place.resolve(name).toAbsolutePath())
        .filter(Files::isExecutable)
        .map(Path::toString)
        .findFirst();
  }

  private static S3Server start(
      String name,
      String accessKey,
      String secretKey,
      Map<String, String> environment,
      CommandLine commandLine) {
    IOException last = null;
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
      try {
        return startOnce(name, accessKey, secretKey, environment, commandLine);
      } catch (IOException e) {
        last = e;
      }
    }
    throw new UncheckedIOException(name + " does not start", last);
  }

  private static S3Server startOnce(
      String name,
      String accessKey,
      String secretKey,
      Map<String, String> environment,
      CommandLine commandLine)
      throws IOException {
    Path directory = Files.createTempDirectory("jgits3-" + name);
    Path data = Files.createDirectory(directory.resolve("data"));
    Path log = directory.resolve("log");
    int port = FreePort.find();
    ProcessBuilder builder =
        new ProcessBuilder(commandLine.at("127.0.0.1:" + port, data.toString()))
            .directory(directory.toFile())
            .redirectErrorStream(true)
            .redirectOutput(log.toFile());
    builder.environment().putAll(environment);
    builder.environment().put("HOME", directory.toString());
    Process process = builder.start();
    Runnable stop = () -> stop(process, directory);
    Runtime.getRuntime().addShutdownHook(new Thread(stop, "stop " + name));
    S3Server server =
        new S3Server(
            name,
            URI.create("http://127.0.0.1:" + port),
            accessKey,
            secretKey,
            Dialect.S3,
            stop,
            Optional.of(process));
    awaitReady(server, process, log);
    return server;
  }

  private static void awaitReady(S3Server server, Process process, Path log) throws IOException {
    long start = System.nanoTime();
    while (!server.answers()) {
      if (ended(process) || System.nanoTime() - start > READY_WITHIN.toNanos()) {
        throw new IOException(server + " is not ready: " + Files.readString(log));
      }
    }
  }

  /** Tests whether the process has ended, and gives it a moment to do so. */
  private static boolean ended(Process process) throws IOException {
    try {
      return process.waitFor(20, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while the server started", e);
    }
  }

  private static void stop(Process process, Path directory) {
    process.destroyForcibly().onExit().join();
    try {
      FileUtils.delete(
          directory.toFile(), FileUtils.RECURSIVE | FileUtils.SKIP_MISSING | FileUtils.RETRY);
    } catch (IOException e) {
      System.err.println("left behind: " + directory + " (" + e.getMessage() + ")");
    }
  }
}
