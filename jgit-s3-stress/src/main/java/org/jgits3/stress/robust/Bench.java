// SPDX-License-Identifier: Apache-2.0
package org.jgits3.stress.robust;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.eclipse.jgit.errors.ConfigInvalidException;
import org.eclipse.jgit.lib.Config;
import org.jgits3.S3RepositoryManager;
import org.jgits3.S3Settings;
import org.jgits3.Stores;
import org.jgits3.bench.Effort;
import org.jgits3.bench.SuiteContext;
import org.jgits3.bench.git.GitClient;
import org.jgits3.bench.git.ServerJvm;
import org.jgits3.bench.process.JvmProgram;
import org.jgits3.bench.process.ScratchDirectory;
import org.jgits3.bench.server.S3Endpoint;
import org.jgits3.bench.server.S3Session;
import org.jgits3.server.Main;
import org.jgits3.store.ObjectStore;

/**
 * A place to measure in: a store, a directory, a git.
 *
 * @param context what to do
 * @param plan how much of it
 * @param data directory for what later runs use again
 * @param scratch directory of this run
 * @param git the git
 * @param findings where figures go
 * @param s3 the server; empty for stores in directories
 */
record Bench(
    SuiteContext context,
    RobustPlan plan,
    Path data,
    Path scratch,
    GitClient git,
    Findings findings,
    Optional<S3Endpoint> s3) {
  static Bench of(
      SuiteContext context,
      Path data,
      ScratchDirectory scratch,
      Findings findings,
      Optional<S3Endpoint> s3)
      throws IOException {
    Path path = Files.createDirectories(scratch.path().resolve(s3.isPresent() ? "s3" : "local"));
    GitClient git = GitClient.in(path.resolve("home"));
    return new Bench(context, RobustPlan.of(context.effort()), data, path, git, findings, s3);
  }

  /** Name of the store among the engines. */
  String engine() {
    return s3.isPresent() ? "s3" : "directory";
  }

  /** Config text of a store that is empty at first. */
  String config(String name) {
    return s3.map(endpoint -> config(endpoint, name))
        .orElseGet(() -> "[s3]\n\tstore = file:" + scratch.resolve("store-" + name) + "\n");
  }

  /** The same with the server at another address. */
  static String config(S3Endpoint endpoint, String name) {
    return endpoint.config(S3Session.SCRATCH + "/robust-" + name);
  }

  /** Writes a config file. */
  Path configFile(String name, String text) throws IOException {
    return Files.writeString(scratch.resolve(name + ".config"), text);
  }

  /** Settings of a config text. */
  static S3Settings settings(String config) throws IOException {
    Config parsed = new Config();
    try {
      parsed.fromText(config);
      return S3Settings.from(parsed, "robust");
    } catch (ConfigInvalidException e) {
      throw new IOException(e.getMessage(), e);
    }
  }

  /** Opens the store of a config text. */
  static ObjectStore store(String config) throws IOException {
    S3Settings settings = settings(config);
    return Stores.open(settings.location(), settings.options());
  }

  /** Opens a store as a process does that knows nothing of it. */
  static S3RepositoryManager manager(String config) throws IOException {
    return new S3RepositoryManager(store(config), settings(config));
  }

  /** Options of a JVM that uses the store. */
  List<String> jvmOptions(String... options) {
    List<String> all = new ArrayList<>(s3.map(S3Endpoint::jvmOptions).orElse(List.of()));
    all.addAll(List.of(options));
    return all;
  }

  /** The program of this project, as its users start it. */
  JvmProgram command(String heap, Path config, String... args) {
    List<String> all = new ArrayList<>(List.of("--config", config.toString()));
    all.addAll(List.of(args));
    List<String> options = jvmOptions(heap);
    if (context.effort() == Effort.SMALLEST) {
      options.add("-XX:TieredStopAtLevel=1"); // it starts in half the time, and works slowly
    }
    return new JvmProgram(options, Main.class, all);
  }

  /** Starts a server that creates repositories on the first push. */
  ServerJvm serve(String heap, Path config, Path log) throws IOException, InterruptedException {
    return ServerJvm.start(
        command(heap, config, "serve", "--listen", "127.0.0.1:0", "--create-on-push"), log);
  }

  /** Runs a command to its end. */
  void run(Path config, Duration limit, String... args) throws IOException, InterruptedException {
    Path errors = Files.createTempFile(scratch, "command", ".err");
    Optional<JvmProgram.Ended> ended = command("-Xmx512m", config, args).run(limit, errors);
    if (ended.map(JvmProgram.Ended::exitCode).orElse(-1) != 0) {
      throw new IOException(
          args[0]
              + " "
              + ended.map(e -> "ended with " + e.exitCode()).orElse("does not end")
              + ": "
              + Files.readString(errors).strip());
    }
  }

  /** Does things at the same time, and waits for all. */
  static <T> List<T> together(List<Callable<T>> tasks) throws IOException, InterruptedException {
    ExecutorService threads = Executors.newFixedThreadPool(tasks.size());
    try {
      List<T> results = new ArrayList<>();
      for (Future<T> each : threads.invokeAll(tasks)) {
        results.add(each.get());
      }
      return results;
    } catch (ExecutionException | CancellationException e) {
      throw new IOException(String.valueOf(e.getCause()), e);
    } finally {
      threads.shutdownNow();
    }
  }

  static double seconds(long nanos) {
    return nanos / 1e9;
  }
}
