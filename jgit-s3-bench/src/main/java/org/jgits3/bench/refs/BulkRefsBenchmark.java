// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.refs;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.Ref;
import org.eclipse.jgit.lib.Repository;
import org.eclipse.jgit.transport.ReceiveCommand;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** All refs at once, in an empty repository. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class BulkRefsBenchmark {
  /** Name of the engine, see {@code RefsEngine}. */
  @Param({"directory", "s3"})
  public String engine;

  /** Number of refs. */
  @Param("500000")
  public int refs;

  private LibraryRefs scratch;
  private List<Ref> all;
  private Repository repository;
  private List<ReceiveCommand> commands;

  /** For JMH. */
  public BulkRefsBenchmark() {}

  /**
   * Opens the store.
   *
   * @throws IOException if it cannot be opened
   */
  @Setup
  public void open() throws IOException {
    DataSet data = BenchmarkData.ofThisJvm(refs);
    scratch = RefsEngine.of(engine).scratchLibrary(data);
    all = data.set().all();
  }

  /**
   * Creates an empty repository, and the commands that a caller would hand over.
   *
   * @throws IOException if it cannot be created
   */
  @Setup(Level.Invocation)
  public void createRepository() throws IOException {
    repository = scratch.createEmpty(RefsEngine.scratchName());
    ObjectId target = SingleUpdate.targets(repository).get(0);
    commands = all.stream().map(ref -> RefBatch.creation(ref, target)).toList();
  }

  /**
   * Closes the repository, and deletes what is in it.
   *
   * @throws IOException if it cannot be deleted
   */
  @TearDown(Level.Invocation)
  public void closeRepository() throws IOException {
    repository.close();
    scratch.discard("objects/");
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
   * Creates all refs in one batch.
   *
   * @return the commands
   * @throws IOException if one was refused
   */
  @Benchmark
  public List<ReceiveCommand> createAll() throws IOException {
    RefBatch.execute(repository, commands);
    return commands;
  }
}
