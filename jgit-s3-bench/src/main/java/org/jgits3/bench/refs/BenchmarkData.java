// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.refs;

import java.nio.file.Path;

/** Tells the JVMs that run benchmarks where the data is. */
final class BenchmarkData {
  private static final String PROPERTY = "jgits3.bench.data";

  private BenchmarkData() {}

  static String jvmOption(Path base) {
    return "-D" + PROPERTY + "=" + base;
  }

  static void useHere(Path base) {
    System.setProperty(PROPERTY, base.toString());
  }

  /** The data of one size, as the suite has prepared it. */
  static DataSet ofThisJvm(int refs) {
    String base = System.getProperty(PROPERTY);
    if (base == null) {
      throw new IllegalStateException("started without a suite; use jgit-s3-bench/run refs");
    }
    return new DataSet(Path.of(base), refs);
  }
}
