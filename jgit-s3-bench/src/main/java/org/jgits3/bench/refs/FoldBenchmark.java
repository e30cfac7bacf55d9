// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.refs;

import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.Ref;
import org.jgits3.internal.refs.table.PackedRefsTable;
import org.jgits3.internal.refs.table.RefDelta;
import org.jgits3.internal.refs.table.RefFold;
import org.jgits3.internal.refs.table.RefTable;
import org.jgits3.manifest.RefValue;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/**
 * Derivation of the tables that another process folded, from those before and the overlay: merge,
 * proof by SHA-256, and the table of both levels. Needs no store.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class FoldBenchmark {
  /** Changes in a fold: they have 64 KiB in the overlay. */
  private static final int CHANGES = 924;

  /** Name of the engine; the same for all. */
  @Param("directory")
  public String engine;

  /** Number of refs. */
  @Param("500000")
  public int refs;

  private final SplittableRandom random = new SplittableRandom(1);
  private RefTable held;
  private RefDelta changes;
  private String recentTable;
  private String newBase;

  /** For JMH. */
  public FoldBenchmark() {}

  /**
   * Makes the tables before: a recent table half as large as it becomes.
   *
   * @throws IOException if there are too many refs
   */
  @Setup
  public void make() throws IOException {
    List<Ref> all = new GerritRefs(refs).all();
    RefTable base = made(RefFold.intoBase(RefTable.EMPTY, changed(all.stream())));
    int recent = (int) Math.sqrt(2.0 * RefFold.CHANGES * refs) / 2;
    held = made(RefFold.intoRecent(base, changed(some(all, recent))));
    changes = changed(some(all, CHANGES));
    recentTable = RefFold.intoRecent(held, changes).merge().build().sha256();
    newBase = RefFold.intoBase(held, changes).merge().build().sha256();
  }

  /** New values of some refs. */
  private RefDelta changed(Stream<Ref> some) {
    Map<String, RefValue> values = new HashMap<>();
    some.forEach(ref -> values.put(ref.getName(), new RefValue.Direct(id(), Optional.empty())));
    return RefDelta.of(values);
  }

  /** Refs picked at random; one may be picked again. */
  private Stream<Ref> some(List<Ref> all, int count) {
    return random.ints(count, 0, all.size()).mapToObj(all::get);
  }

  private ObjectId id() {
    return ObjectId.fromRaw(random.ints(5).toArray());
  }

  private static RefTable made(RefFold fold) throws IOException {
    return fold.with(fold.merge().build());
  }

  private static RefTable proven(RefFold fold, String sha256) throws IOException {
    PackedRefsTable table = fold.merge().build();
    if (!table.sha256().equals(sha256)) {
      throw new IllegalStateException("another table");
    }
    return fold.with(table);
  }

  /**
   * Derives a recent table.
   *
   * @return the refs
   * @throws IOException never
   */
  @Benchmark
  public RefTable recent() throws IOException {
    return proven(RefFold.intoRecent(held, changes), recentTable);
  }

  /**
   * Derives a base.
   *
   * @return the refs
   * @throws IOException never
   */
  @Benchmark
  public RefTable base() throws IOException {
    return proven(RefFold.intoBase(held, changes), newBase);
  }
}
