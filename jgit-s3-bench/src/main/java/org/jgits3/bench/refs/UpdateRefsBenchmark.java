// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.refs;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.RefUpdate;
import org.eclipse.jgit.lib.Repository;
import org.eclipse.jgit.transport.ReceiveCommand;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** Changes of a repository of many refs. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class UpdateRefsBenchmark {
  private static final int BATCH = 1000;

  /** Name of the engine, see {@code RefsEngine}. */
  @Param({"directory", "s3", "jgit-never", "jgit-always", "jgit-reftable"})
  public String engine;

  /** Number of refs. */
  @Param("500000")
  public int refs;

  private Repository repository;
  private List<ObjectId> targets;
  private int next;

  /** For JMH. */
  public UpdateRefsBenchmark() {}

  /**
   * Makes a copy of the repository, with objects for refs to point to, and updates a ref once.
   *
   * @throws IOException if it cannot be made
   */
  @Setup
  public void open() throws IOException {
    repository = RefsEngine.of(engine).scratch(BenchmarkData.ofThisJvm(refs));
    targets = SingleUpdate.targets(repository);
    update();
  }

  /** Closes the repository. */
  @TearDown
  public void close() {
    repository.close();
  }

  /**
   * Moves a branch.
   *
   * @return what became of it
   * @throws IOException if it cannot be moved
   */
  @Benchmark
  public RefUpdate.Result update() throws IOException {
    return SingleUpdate.run(repository, targets.get(next++ & 1));
  }

  /**
   * Creates a thousand refs in one batch.
   *
   * @return the commands
   * @throws IOException if one was refused
   */
  @Benchmark
  public List<ReceiveCommand> batch() throws IOException {
    String directory = "refs/changes/00/" + next++ + "/";
    List<ReceiveCommand> commands =
        IntStream.range(0, BATCH)
            .mapToObj(i -> new ReceiveCommand(ObjectId.zeroId(), targets.get(0), directory + i))
            .toList();
    RefBatch.execute(repository, commands);
    return commands;
  }
}
