// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.refs;

import java.util.Set;

/** Operations of the engines, with their benchmarks. */
enum RefsCase {
  HIT("exact hit", GetRefsBenchmark.class, "hit"),
  MISS("exact miss", GetRefsBenchmark.class, "miss"),
  PREFIX("prefix (one change)", GetRefsBenchmark.class, "prefix"),
  ALL("all refs", GetRefsBenchmark.class, "all"),
  TIPS("tips by SHA-1", GetRefsBenchmark.class, "tips"),
  COLD("cold open to first hit", GetRefsBenchmark.class, "coldHit"),
  DOWNLOAD("download of the snapshot", TransferBenchmark.class, "download"),
  UPDATE("single update", UpdateRefsBenchmark.class, "update"),
  BATCH("batch of 1,000", UpdateRefsBenchmark.class, "batch"),
  RECENT("recent table that another process folded", FoldBenchmark.class, "recent"),
  BASE("base that another process folded", FoldBenchmark.class, "base"),
  CREATE_ALL("all refs created in one batch", BulkRefsBenchmark.class, "createAll"),
  UPLOAD("upload of the same bytes", TransferBenchmark.class, "upload"),
  FORK("fork of a template of all refs", ForkBenchmark.class, "fork"),
  CREATE("creation of an empty repository", ForkBenchmark.class, "create");

  private static final Set<Class<?>> OF_THE_LIBRARY =
      Set.of(BulkRefsBenchmark.class, TransferBenchmark.class, ForkBenchmark.class);

  private final String title;
  private final Class<?> benchmark;
  private final String method;

  RefsCase(String title, Class<?> benchmark, String method) {
    this.title = title;
    this.benchmark = benchmark;
    this.method = method;
  }

  /** Name in results. */
  String title() {
    return title;
  }

  Class<?> benchmark() {
    return benchmark;
  }

  String method() {
    return method;
  }

  /** Tests whether the case applies to an engine. */
  boolean concerns(RefsEngine engine) {
    if (OF_THE_LIBRARY.contains(benchmark)) {
      return engine == RefsEngine.DIRECTORY || engine == RefsEngine.S3;
    }
    if (benchmark == FoldBenchmark.class) {
      return engine == RefsEngine.DIRECTORY; // any one, since no request is made
    }
    if (this == COLD) {
      return engine.differsWhenCold();
    }
    return benchmark != UpdateRefsBenchmark.class || engine.changes();
  }
}
