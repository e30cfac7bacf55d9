// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.git;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jgits3.bench.FreeMemory;
import org.jgits3.bench.SuiteContext;
import org.jgits3.bench.Turns;
import org.jgits3.bench.WriteBack;
import org.jgits3.bench.process.Leftovers;
import org.jgits3.bench.process.ScratchDirectory;
import org.jgits3.bench.report.Figure;
import org.jgits3.bench.report.Row;
import org.jgits3.bench.report.Unit;
import org.jgits3.bench.server.S3Endpoint;

/**
 * One run of the suite. Engines take turns, and each transfer waits until what the one before has
 * left is written to the disk. Used by one thread, once.
 */
final class GitRun {
  /** The same for all servers. */
  private static final String HEAP = "-Xmx512m";

  private static final String COLLECTED = "collected";
  private static final String PUSHED = "pushed";

  /** Maximum number of copies of a pack in memory while it is moved: read, received, and stored. */
  private static final int COPIES = 4;

  private static final String ALL_REFS = "refs/*:refs/*";

  private final SuiteContext context;
  private final GitPlan plan;
  private final ScratchDirectory scratchDirectory;
  private final Path scratch;
  private final Path repositories;
  private final Path source;
  private final GitClient git;
  private final Map<GitEngine, Host> hosts = new EnumMap<>(GitEngine.class);

  /** Directories in which an interrupted push may leave files; none on a given server. */
  private final Map<GitEngine, Path> pushedInto = new EnumMap<>(GitEngine.class);

  private final Map<GitCase, Map<GitEngine, List<Double>>> nanos = new EnumMap<>(GitCase.class);
  private final Turns<GitEngine> turns;
  private final Set<GitEngine> checked = EnumSet.noneOf(GitEngine.class);
  private String refs = "";

  /**
   * A run.
   *
   * @param context where to work
   * @param plan how much to do
   * @param data directory for what later runs use again
   * @param endpoint the S3 server; empty to leave that engine out
   */
  GitRun(SuiteContext context, GitPlan plan, Path data, Optional<S3Endpoint> endpoint)
      throws IOException {
    this.context = context;
    this.plan = plan;
    this.turns = new Turns<>(context.progress(), "", GitEngine::id);
    this.repositories = Files.createDirectories(data.resolve("disk"));
    this.source = repositories.resolve(COLLECTED + ".git");
    this.scratchDirectory = ScratchDirectory.create(data.resolve("scratch"));
    this.scratch = scratchDirectory.path();
    this.git = GitClient.in(scratch.resolve("home"));
    for (GitCase what : GitCase.values()) {
      nanos.put(what, new EnumMap<>(GitEngine.class));
    }
    if (endpoint.isPresent()) {
      S3Endpoint s3 = endpoint.get();
      hosts.put(
          GitEngine.S3,
          StoreHost.at(
              scratch.resolve("s3"),
              s3.config(plan.bucket()),
              jvmOptions(GitEngine.S3, s3.jvmOptions())));
      if (s3.own()) {
        pushedInto.put(GitEngine.S3, context.data().resolve("s3").resolve(plan.bucket()));
      }
    }
    Path store = data.resolve("store");
    hosts.put(
        GitEngine.DIRECTORY,
        StoreHost.at(
            scratch.resolve("directory"),
            "[s3]\n\tstore = file:" + store + "\n",
            jvmOptions(GitEngine.DIRECTORY, List.of())));
    pushedInto.put(GitEngine.DIRECTORY, store);
    hosts.put(GitEngine.JGIT_DISK, disk(GitEngine.JGIT_DISK, DiskServer.class));
    hosts.put(GitEngine.C_GIT, disk(GitEngine.C_GIT, CgiServer.class));
  }

  private Host disk(GitEngine engine, Class<?> server) {
    pushedInto.put(engine, repositories.resolve(PUSHED + ".git"));
    return new DiskHost(
        git,
        repositories,
        server,
        List.of(repositories.toString()),
        jvmOptions(engine, List.of()),
        scratch.resolve(server.getSimpleName() + ".log"));
  }

  private List<String> jvmOptions(GitEngine engine, List<String> more) {
    List<String> options = new ArrayList<>(more);
    options.add(HEAP);
    options.addAll(context.profilerOptions("git " + engine.id()));
    return options;
  }

  /** Measures, and returns all that was measured. */
  List<Row> run() throws IOException, InterruptedException {
    try (scratchDirectory) {
      prepare();
      int rounds = hosts.keySet().stream().mapToInt(plan::rounds).sum();
      context.progress().expect(rounds + 1); // and the streams
      turns.take(hosts.keySet(), plan::rounds, (engine, round) -> take(engine));
      return rows();
    }
  }

  private void prepare() throws IOException, InterruptedException {
    context.progress().note("a repository of " + plan.megabytes() + " MB ...");
    SyntheticRepository.generate(git, source, plan.megabytes() * 1_000_000L);
    for (Host host : hosts.values()) {
      if (host instanceof StoreHost store) {
        store.provide(source, COLLECTED);
      }
    }
    refs = refsOf(source);
  }

  /** Of a store with half a push in it, nothing is kept for later runs. */
  private void take(GitEngine engine) throws IOException, InterruptedException {
    Closeable interrupted =
        () -> {
          if (pushedInto.containsKey(engine)) {
            ScratchDirectory.delete(pushedInto.get(engine));
          }
        };
    Leftovers.add(interrupted);
    try {
      measure(engine, hosts.get(engine));
    } catch (IOException e) {
      Leftovers.failed();
      throw e;
    } finally {
      Leftovers.remove(interrupted);
    }
  }

  private void measure(GitEngine engine, Host host) throws IOException, InterruptedException {
    host.create(PUSHED);
    try (ServerJvm server = host.start()) {
      time(GitCase.CLONE_COLD, engine, server);
      for (int i = 0; i < plan.warmClones(); i++) {
        time(GitCase.CLONE_WARM, engine, server);
      }
      time(GitCase.PUSH, engine, server);
    } finally {
      host.delete(PUSHED);
    }
  }

  private void time(GitCase what, GitEngine engine, ServerJvm server)
      throws IOException, InterruptedException {
    Path clone = scratch.resolve("clone");
    WriteBack.finish();
    FreeMemory.touch(COPIES * 1_000_000L * plan.megabytes());
    long start = System.nanoTime();
    if (what == GitCase.PUSH) {
      git.run(source, "push", "-q", server.url(PUSHED), ALL_REFS);
    } else {
      git.run(scratch, "clone", "-q", "--mirror", server.url(COLLECTED), clone.toString());
    }
    double took = System.nanoTime() - start;
    nanos.get(what).computeIfAbsent(engine, e -> new ArrayList<>()).add(took);
    if (what == GitCase.PUSH) {
      verifyPush(server);
    } else {
      verify(engine, clone);
    }
  }

  private void verifyPush(ServerJvm server) throws IOException, InterruptedException {
    String there = git.run(source, "ls-remote", "--refs", server.url(PUSHED)).replace('\t', ' ');
    if (!there.equals(refs)) {
      throw new IOException("the refs that were pushed are not those that are there");
    }
  }

  /** Compares a clone with its source, checks the first of an engine, and deletes it. */
  private void verify(GitEngine engine, Path clone) throws IOException, InterruptedException {
    if (!refsOf(clone).equals(refs)) {
      throw new IOException("a clone has other refs than its source");
    }
    if (checked.add(engine)) {
      git.run(clone, "fsck", "--full", "--strict", "--no-progress");
    }
    ScratchDirectory.delete(clone);
  }

  private String refsOf(Path repository) throws IOException, InterruptedException {
    return git.run(repository, "for-each-ref", "--format=%(objectname) %(refname)");
  }

  private List<Row> rows() {
    List<Row> rows = new ArrayList<>();
    for (GitCase what : GitCase.values()) {
      for (GitEngine engine : hosts.keySet()) {
        rows.add(row(what, engine));
      }
    }
    return rows;
  }

  /** Each round has a server of its own: a JVM, but for what Git itself does. */
  private Row row(GitCase what, GitEngine engine) {
    return turns.row(
        what.title(),
        engine,
        Unit.NANOSECONDS,
        () -> new Figure(nanos.get(what).get(engine), plan.rounds(engine)));
  }
}
