// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.refs;

import org.openjdk.jmh.annotations.Mode;

/** What is asked of the engines, and which benchmark asks it. */
enum RefsCase {
  HIT("exact hit", GetRefsBenchmark.class, "hit", Mode.AverageTime),
  MISS("exact miss", GetRefsBenchmark.class, "miss", Mode.AverageTime),
  PREFIX("prefix (one change)", GetRefsBenchmark.class, "prefix", Mode.AverageTime),
  ALL("all refs", GetRefsBenchmark.class, "all", Mode.AverageTime),
  TIPS("tips by SHA-1", GetRefsBenchmark.class, "tips", Mode.AverageTime),
  COLD("cold open to first hit", GetRefsBenchmark.class, "coldHit", Mode.SingleShotTime),
  /** Right after what it is subtracted from. */
  DOWNLOAD("download of the snapshot", TransferBenchmark.class, "download", Mode.SingleShotTime),
  UPDATE("single update", UpdateRefsBenchmark.class, "update", Mode.AverageTime),
  BATCH("batch of 1,000", UpdateRefsBenchmark.class, "batch", Mode.SingleShotTime),
  CREATE_ALL(
      "all refs created in one batch", BulkRefsBenchmark.class, "createAll", Mode.SingleShotTime),
  UPLOAD("upload of the same bytes", TransferBenchmark.class, "upload", Mode.SingleShotTime);

  private final String title;
  private final Class<?> benchmark;
  private final String method;
  private final Mode mode;

  RefsCase(String title, Class<?> benchmark, String method, Mode mode) {
    this.title = title;
    this.benchmark = benchmark;
    this.method = method;
    this.mode = mode;
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

  Mode mode() {
    return mode;
  }

  /** Whether the case is about this engine at all. */
  boolean concerns(RefsEngine engine) {
    if (benchmark == BulkRefsBenchmark.class || benchmark == TransferBenchmark.class) {
      return engine == RefsEngine.DIRECTORY || engine == RefsEngine.S3;
    }
    return benchmark != UpdateRefsBenchmark.class || engine.changes();
  }
}
