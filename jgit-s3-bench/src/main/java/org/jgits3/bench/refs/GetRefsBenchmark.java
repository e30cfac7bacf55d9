// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.refs;

import java.io.IOException;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.Ref;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * Look-ups in a repository that does not change. Hits ask for full names of refs that exist, misses
 * for full names between them; a hit that is not found fails the benchmark.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class GetRefsBenchmark {
  /** Name of the engine, see {@code RefsEngine}. */
  @Param({
    "directory",
    "s3",
    "s3-untrusted",
    "s3-window",
    "jgit-never",
    "jgit-after_open",
    "jgit-always",
    "jgit-reftable",
    "raw-compare"
  })
  public String engine;

  /** Number of refs. */
  @Param("500000")
  public int refs;

  private RefSource source;
  private RefStore store;
  private String[] names;
  private String[] absent;
  private String[] prefixes;
  private ObjectId[] tips;
  private int next;

  /** For JMH. */
  public GetRefsBenchmark() {}

  /**
   * Opens the repository and asks for one ref, so that everything is loaded.
   *
   * @throws IOException if it cannot be opened
   */
  @Setup
  public void open() throws IOException {
    RefsEngine measured = RefsEngine.of(engine);
    DataSet data = BenchmarkData.ofThisJvm(refs);
    RefSet all = data.set();
    List<Ref> sample = all.sample();
    names = sample.stream().map(Ref::getName).toArray(String[]::new);
    tips = sample.stream().map(Ref::getObjectId).toArray(ObjectId[]::new);
    absent = all.absent().toArray(String[]::new);
    prefixes = all.prefixes().toArray(String[]::new);
    source = measured.source(data);
    store = source.open();
    check(store.exact(names[0]) != null);
  }

  /**
   * Closes the repository.
   *
   * @throws IOException if it cannot be closed
   */
  @TearDown
  public void close() throws IOException {
    store.close();
    source.close();
  }

  /** Index for the next look-up; sample sizes are powers of two. */
  private int next() {
    return next++ & (names.length - 1);
  }

  private void check(boolean found) {
    if (!found) {
      throw new IllegalStateException(engine + ": wrong answer at " + names[(next - 1) & 1023]);
    }
  }

  /**
   * Looks up a ref that exists.
   *
   * @return the ref
   * @throws IOException if it cannot be read
   */
  @Benchmark
  public Ref hit() throws IOException {
    Ref ref = store.exact(names[next()]);
    check(ref != null);
    return ref;
  }

  /**
   * Looks up a ref that does not exist.
   *
   * @return null
   * @throws IOException if refs cannot be read
   */
  @Benchmark
  public Ref miss() throws IOException {
    Ref ref = store.exact(absent[next()]);
    check(ref == null);
    return ref;
  }

  /**
   * Lists the refs of one change.
   *
   * @return the refs
   * @throws IOException if they cannot be read
   */
  @Benchmark
  public Collection<Ref> prefix() throws IOException {
    Collection<Ref> found = store.prefix(prefixes[next()]);
    check(!found.isEmpty());
    return found;
  }

  /**
   * Lists all refs.
   *
   * @return the refs
   * @throws IOException if they cannot be read
   */
  @Benchmark
  public Collection<Ref> all() throws IOException {
    Collection<Ref> found = store.prefix("");
    check(found.size() >= refs);
    return found;
  }

  /**
   * Finds the refs that point to an object.
   *
   * @return the refs
   * @throws IOException if they cannot be read
   */
  @Benchmark
  public Collection<Ref> tips() throws IOException {
    Collection<Ref> found = store.tips(tips[next()]);
    check(!found.isEmpty());
    return found;
  }

  /**
   * Opens the repository anew to serve a request, and looks up one ref.
   *
   * @return the ref
   * @throws IOException if it cannot be read
   */
  @Benchmark
  public Ref coldHit() throws IOException {
    try (RefStore cold = source.openForRequest()) {
      Ref ref = cold.exact(names[next()]);
      check(ref != null);
      return ref;
    }
  }
}
