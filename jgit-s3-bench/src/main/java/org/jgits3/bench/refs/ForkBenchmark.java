// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.refs;

import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.eclipse.jgit.lib.CommitBuilder;
import org.eclipse.jgit.lib.NullProgressMonitor;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.ObjectInserter;
import org.eclipse.jgit.lib.PersonIdent;
import org.eclipse.jgit.lib.Repository;
import org.eclipse.jgit.lib.TreeFormatter;
import org.jgits3.S3RepositoryManager;
import org.jgits3.manifest.RepositoryName;
import org.jgits3.transfer.ImportSource;
import org.jgits3.transfer.Importer;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** Forks of a template that has many refs, and repositories that have nothing. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class ForkBenchmark {
  /** Name of the engine, see {@code RefsEngine}. */
  @Param({"directory", "s3"})
  public String engine;

  /** Number of refs of the template. */
  @Param("500000")
  public int refs;

  private LibraryRefs scratch;
  private S3RepositoryManager manager;
  private String template;

  /** For JMH. */
  public ForkBenchmark() {}

  /**
   * Makes a template.
   *
   * @throws IOException if it cannot be made
   * @throws InterruptedException if the thread is interrupted
   */
  @Setup
  public void open() throws IOException, InterruptedException {
    DataSet data = BenchmarkData.ofThisJvm(refs);
    scratch = RefsEngine.of(engine).scratchLibrary(data, (request, outcome, moved, nanos) -> {});
    manager = scratch.manager();
    String original = RefsEngine.scratchName();
    try (Repository repository = manager.createRepository(original)) {
      ObjectId commit = commit(repository);
      RefBatch.execute(
          repository,
          data.set().all().stream().map(ref -> RefBatch.creation(ref, commit)).toList());
    }
    template = RefsEngine.scratchName();
    try (ImportSource from = ImportSource.template(manager, RepositoryName.of(original))) {
      new Importer(manager, NullProgressMonitor.INSTANCE).run(from, RepositoryName.of(template));
    }
  }

  private static ObjectId commit(Repository repository) throws IOException {
    try (ObjectInserter inserter = repository.newObjectInserter()) {
      CommitBuilder commit = new CommitBuilder();
      commit.setTreeId(inserter.insert(new TreeFormatter()));
      commit.setAuthor(new PersonIdent("Benchmark", "benchmark@example.com"));
      commit.setCommitter(commit.getAuthor());
      ObjectId id = inserter.insert(commit);
      inserter.flush();
      return id;
    }
  }

  /**
   * Closes the store.
   *
   * @throws IOException if it cannot be closed
   */
  @TearDown
  public void close() throws IOException {
    scratch.close();
  }

  /**
   * Forks the template.
   *
   * @throws IOException if it cannot be forked
   */
  @Benchmark
  public void fork() throws IOException {
    manager.fork(template, RefsEngine.scratchName()).close();
  }

  /**
   * Creates a repository that has nothing.
   *
   * @throws IOException if it cannot be created
   */
  @Benchmark
  public void create() throws IOException {
    manager.createRepository(RefsEngine.scratchName()).close();
  }
}
