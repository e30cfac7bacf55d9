// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.served;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.eclipse.jgit.lib.NullProgressMonitor;
import org.eclipse.jgit.lib.Ref;
import org.eclipse.jgit.lib.StoredConfig;
import org.jgits3.S3Repository;
import org.jgits3.S3RepositoryManager;
import org.jgits3.bench.SuiteContext;
import org.jgits3.bench.Turns;
import org.jgits3.bench.git.DiskHost;
import org.jgits3.bench.git.GitClient;
import org.jgits3.bench.git.GitEngine;
import org.jgits3.bench.git.Host;
import org.jgits3.bench.git.ServerJvm;
import org.jgits3.bench.git.StoreHost;
import org.jgits3.bench.process.ScratchDirectory;
import org.jgits3.bench.report.Figure;
import org.jgits3.bench.report.Row;
import org.jgits3.bench.report.Unit;
import org.jgits3.bench.server.S3Endpoint;
import org.jgits3.manifest.RepositoryName;
import org.jgits3.transfer.ImportSource;
import org.jgits3.transfer.Importer;

/**
 * One run. Engines take turns, each round with a server that has just started, and so do the cases
 * in a server, so that how warm a JVM is meets all of them. Used by one thread, once.
 */
final class ServedRun implements Closeable {
  /** This server on a store in a directory, and C Git's on a local disk. */
  static final List<GitEngine> ENGINES = List.of(GitEngine.DIRECTORY, GitEngine.C_GIT);

  private static final long HEAP = 1 << 30;

  /** Bytes of memory for each ref: 73 for its name and id, and some for the index of tips. */
  private static final long BYTES_PER_REF = 100;

  private static final String MANY = "many";
  private static final String FEW = "few";
  private static final String PUSHED = "refs/heads/pushed";
  private static final String BASE = "refs/heads/stable-000000";

  private final SuiteContext context;
  private final ServedPlan plan;
  private final Path sources;
  private final ScratchDirectory scratch;
  private final GitClient git;
  private final Path client;
  private final Path disk;
  private final Path store;
  private final Map<GitEngine, Host> hosts = new EnumMap<>(GitEngine.class);
  private final Turns<GitEngine> turns;

  /** Values by name of the row and by engine, in their order. */
  private final Map<String, Map<GitEngine, List<Double>>> nanos = new LinkedHashMap<>();

  private final Map<String, String> pushed = new LinkedHashMap<>();
  private int lines;
  private int commits;

  /**
   * A run.
   *
   * @param data directory for what later runs use again
   */
  ServedRun(SuiteContext context, ServedPlan plan, Path data) throws IOException {
    this.context = context;
    this.plan = plan;
    this.turns = new Turns<>(context.progress(), "pushes and listings, ", GitEngine::id);
    this.sources = data;
    this.scratch = ScratchDirectory.create(data.resolve("scratch"));
    this.git = GitClient.in(scratch.path().resolve("home"));
    this.client = Files.createDirectory(scratch.path().resolve("client"));
    this.disk = Files.createDirectory(scratch.path().resolve("disk"));
    this.store = scratch.path().resolve("store");
  }

  @Override
  public void close() throws IOException {
    scratch.close();
  }

  /** Makes the repositories, those of a store and those on a disk. */
  void prepare(List<Ref> many, List<Ref> few) throws IOException, InterruptedException {
    context.progress().note(many.size() + " refs with their commits ...");
    lines =
        many.size() + (int) many.stream().filter(ref -> ref.getPeeledObjectId() != null).count();
    provide(MANY, many);
    provide(FEW, few);
    git.run(client, "init", "-q", "--bare");
    git.run(client, "fetch", "-q", source(FEW).toString(), BASE + ":" + BASE);
    hosts.put(
        GitEngine.DIRECTORY,
        StoreHost.at(scratch.path().resolve("directory"), config(), options(GitEngine.DIRECTORY)));
    hosts.put(
        GitEngine.C_GIT,
        DiskHost.httpBackend(
            git, disk, options(GitEngine.C_GIT), scratch.path().resolve("cgi.log")));
  }

  private Path source(String name) {
    return sources.resolve(name + ".git");
  }

  private String config() {
    long refs = Math.max(HEAP / 4, context.refs() * BYTES_PER_REF);
    return "[s3]\n\tstore = \"file:" + store + "\"\n[s3 \"refs\"]\n\tcacheLimit = " + refs + "\n";
  }

  private List<String> options(GitEngine engine) {
    List<String> options = new ArrayList<>(List.of("-Xmx" + HEAP));
    options.addAll(context.profilerOptions("refs served by " + engine.id()));
    return options;
  }

  private void provide(String name, List<Ref> refs) throws IOException, InterruptedException {
    new ManyRefs(git, BASE, refs).into(source(name));
    git.run(disk, "clone", "-q", "--mirror", source(name).toString(), name + ".git");
    try (S3RepositoryManager manager = manager();
        ImportSource from = ImportSource.open(source(name).toString())) {
      new Importer(manager, NullProgressMonitor.INSTANCE).run(from, RepositoryName.of(name));
    }
  }

  private S3RepositoryManager manager() throws IOException {
    return S3RepositoryManager.open(S3Endpoint.settings(config()));
  }

  /** Measures all, and returns what was measured. */
  List<Row> measure() throws IOException, InterruptedException {
    turns.take(
        ENGINES,
        engine -> plan.rounds(),
        (engine, round) -> {
          try (ServerJvm server = hosts.get(engine).start()) {
            round(engine, server);
          }
        });
    return rows();
  }

  private void round(GitEngine engine, ServerJvm server) throws IOException, InterruptedException {
    for (int sample = 0; sample <= plan.samples(); sample++) {
      for (ServedCase what : ServedCase.values()) {
        hide(engine, what == ServedCase.PUSH_HIDDEN);
        if (sample == 0) {
          for (int i = 0; i < plan.warmUps(engine, what); i++) {
            operate(what, server, commit(what));
          }
        } else {
          measure(what, engine, server);
        }
      }
    }
    for (Map.Entry<String, String> push : pushed.entrySet()) {
      String there = git.run(client, "ls-remote", server.url(push.getKey()), PUSHED);
      if (!there.equals(push.getValue() + '\t' + PUSHED)) {
        throw new IOException(push.getKey() + " has " + there + ", not " + push.getValue());
      }
    }
  }

  private void hide(GitEngine engine, boolean hidden) throws IOException, InterruptedException {
    if (engine == GitEngine.C_GIT) {
      Path config = disk.resolve(MANY + ".git/config");
      git.run(client, "config", "-f", config.toString(), "receive.hideRefs", "refs/none");
      if (hidden) {
        git.run(client, "config", "-f", config.toString(), "receive.hideRefs", "refs/changes");
      }
      return;
    }
    try (S3RepositoryManager manager = manager();
        S3Repository repository = manager.openRepository(MANY)) {
      StoredConfig config = repository.getConfig();
      if (hidden) {
        config.setString("receive", null, "hideRefs", "refs/changes");
      } else {
        config.unset("receive", null, "hideRefs");
      }
      config.save();
    }
  }

  private void measure(ServedCase what, GitEngine engine, ServerJvm server)
      throws IOException, InterruptedException {
    List<String> ids = new ArrayList<>();
    for (int i = 0; i < plan.operations(engine, what); i++) {
      ids.add(commit(what));
    }
    String pid = Long.toString(server.pid());
    long serverBefore = ofServer(engine, pid);
    long clientBefore = ProcessorTime.of("self").ofEnded();
    long start = System.nanoTime();
    for (String id : ids) {
      operate(what, server, id);
    }
    long elapsed = System.nanoTime() - start;
    long ofServer = ofServer(engine, pid) - serverBefore;
    long ofClient = ProcessorTime.of("self").ofEnded() - clientBefore;
    add(what.server(), engine, ofServer / ids.size());
    add(what.client(), engine, ofClient / ids.size());
    add(what.both(), engine, (ofServer + ofClient) / ids.size());
    add(what.elapsed(), engine, elapsed / ids.size());
  }

  /**
   * Processor time of a server so far: of this one that of its JVM, of C Git that of its programs,
   * without that of the JVM which starts them.
   */
  private static long ofServer(GitEngine engine, String pid) throws IOException {
    ProcessorTime time = ProcessorTime.of(pid);
    return engine == GitEngine.DIRECTORY ? time.own() : time.ofEnded();
  }

  private void add(String name, GitEngine engine, long each) {
    nanos
        .computeIfAbsent(name, n -> new EnumMap<>(GitEngine.class))
        .computeIfAbsent(engine, e -> new ArrayList<>())
        .add((double) each);
  }

  /** A commit that is to be pushed; none for a listing. */
  private String commit(ServedCase what) throws IOException, InterruptedException {
    return what.isPush()
        ? git.run(client, "commit-tree", BASE + "^{tree}", "-p", BASE, "-m", "number " + commits++)
        : "";
  }

  private void operate(ServedCase what, ServerJvm server, String commit)
      throws IOException, InterruptedException {
    String name = what == ServedCase.PUSH_SMALL ? FEW : MANY;
    if (what.isPush()) {
      git.run(client, "push", "-q", server.url(name), "+" + commit + ":" + PUSHED);
      pushed.put(name, commit);
      return;
    }
    long found = git.run(client, "ls-remote", server.url(name)).lines().count();
    if (found < lines) {
      throw new IOException("ls-remote told " + found + " of " + lines + " lines");
    }
  }

  private List<Row> rows() {
    List<Row> rows = new ArrayList<>();
    for (ServedCase what : ServedCase.values()) {
      for (String name : List.of(what.server(), what.client(), what.both(), what.elapsed())) {
        for (GitEngine engine : ENGINES) {
          rows.add(
              turns.row(
                  name,
                  engine,
                  Unit.NANOSECONDS,
                  () -> new Figure(nanos.get(name).get(engine), plan.rounds())));
        }
      }
    }
    return rows;
  }
}
