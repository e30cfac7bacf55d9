// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.refs;

import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
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

/**
 * The mere transfer of as many bytes as a snapshot of the refs has, through the same store: what
 * creating all refs, and opening a repository cold, cannot do without.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class TransferBenchmark {
  private static final String UPLOADS = "upload/";

  /** Name of the engine, see {@code RefsEngine}. */
  @Param({"directory", "s3"})
  public String engine;

  /** Number of refs. */
  @Param("500000")
  public int refs;

  private LibraryRefs library;
  private LibraryRefs scratch;
  private LibraryRefs.StoredSnapshot snapshot;
  private byte[] bytes;

  /** For JMH. */
  public TransferBenchmark() {}

  /**
   * Opens the stores.
   *
   * @throws IOException if they cannot be opened
   */
  @Setup
  public void open() throws IOException {
    DataSet data = BenchmarkData.ofThisJvm(refs);
    library = RefsEngine.of(engine).library(data);
    scratch = RefsEngine.of(engine).scratchLibrary(data);
    snapshot = library.snapshot();
    bytes = new byte[snapshot.size()];
    library.store().read(snapshot.key(), 0, bytes, 0, bytes.length, Optional.empty());
  }

  /**
   * Deletes what was uploaded.
   *
   * @throws IOException if it cannot be deleted
   */
  @TearDown(Level.Invocation)
  public void discard() throws IOException {
    scratch.discard(UPLOADS);
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
   * Uploads as many bytes as a snapshot of the refs has.
   *
   * @throws IOException if they cannot be uploaded
   */
  @Benchmark
  public void upload() throws IOException {
    scratch.store().put(UPLOADS + RefsEngine.scratchName(), bytes, 0, bytes.length);
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
