// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.refs;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.eclipse.jgit.lib.ObjectId;
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

/** All refs at once, and the mere transfer of as many bytes through the same store. */
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

  private LibraryRefs library;
  private LibraryRefs scratch;
  private LibraryRefs.StoredSnapshot snapshot;
  private GerritRefs all;
  private Repository repository;
  private List<ReceiveCommand> commands;
  private byte[] bytes;

  /** For JMH. */
  public BulkRefsBenchmark() {}

  /**
   * Opens the stores.
   *
   * @throws IOException if they cannot be opened
   */
  @Setup
  public void open() throws IOException {
    DataSet data = BenchmarkData.ofThisJvm(refs);
    library = RefsEngine.of(engine).library(data);
    scratch = RefsEngine.of(engine).scratchLibrary(data, (request, outcome, moved, nanos) -> {});
    snapshot = library.snapshot();
    bytes = new byte[snapshot.size()];
    library.store().read(snapshot.key(), 0, bytes, 0, bytes.length, Optional.empty());
    all = GerritRefs.of(refs);
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
    commands = all.all().stream().map(ref -> RefBatch.creation(ref, target)).toList();
  }

  /** Closes the repository. */
  @TearDown(Level.Invocation)
  public void closeRepository() {
    repository.close();
  }

  /**
   * Closes the stores.
   *
   * @throws IOException if they cannot be closed
   */
  @TearDown
  public void close() throws IOException {
    library.close();
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

  /**
   * Uploads as many bytes as a snapshot of the refs has.
   *
   * @throws IOException if they cannot be uploaded
   */
  @Benchmark
  public void upload() throws IOException {
    scratch.store().put("upload/" + RefsEngine.scratchName(), bytes, 0, bytes.length);
  }

  /**
   * Downloads the snapshot of the refs, and does nothing with it.
   *
   * @return its bytes
   * @throws IOException if it cannot be downloaded
   */
  @Benchmark
  public byte[] download() throws IOException {
    byte[] target = new byte[snapshot.size()];
    library.store().read(snapshot.key(), 0, target, 0, target.length, Optional.empty());
    return target;
  }
}
