// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.refs;

import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.eclipse.jgit.lib.NullProgressMonitor;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.Repository;
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
    scratch = RefsEngine.of(engine).scratchLibrary(data);
    manager = scratch.manager();
    String original = RefsEngine.scratchName();
    try (Repository repository = manager.createRepository(original)) {
      ObjectId commit = SingleUpdate.targets(repository).get(0);
      RefBatch.execute(
          repository,
          data.set().all().stream().map(ref -> RefBatch.creation(ref, commit)).toList());
    }
    template = RefsEngine.scratchName();
    try (ImportSource from = ImportSource.template(manager, RepositoryName.of(original))) {
      new Importer(manager, NullProgressMonitor.INSTANCE).run(from, RepositoryName.of(template));
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
