// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.refs;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Tells the JVMs that run benchmarks where the data is. */
final class BenchmarkData {
  private static final String BASE = "jgits3.bench.data";
  private static final String GIVEN = "jgits3.bench.refs";

  private BenchmarkData() {}

  /** Options of such a JVM; the refs are in a file if the user has given them. */
  static List<String> jvmOptions(Path base, Optional<Path> given) {
    List<String> options = new ArrayList<>(List.of("-D" + BASE + "=" + base));
    given.ifPresent(file -> options.add("-D" + GIVEN + "=" + file));
    return options;
  }

  /** Tells the same to this JVM. */
  static void useHere(Path base, Optional<Path> given) {
    System.setProperty(BASE, base.toString());
    given.ifPresentOrElse(
        file -> System.setProperty(GIVEN, file.toString()), () -> System.clearProperty(GIVEN));
  }

  /** The data of one size, as the suite has prepared it: that of the user if it has that size. */
  static DataSet ofThisJvm(int refs) throws IOException {
    String base = System.getProperty(BASE);
    if (base == null) {
      throw new IllegalStateException("started without a suite; use jgit-s3-bench/run refs");
    }
    String given = System.getProperty(GIVEN);
    if (given != null) {
      DataSet own = DataSet.of(Path.of(base), Path.of(given));
      if (own.refs() == refs) {
        return own;
      }
    }
    return DataSet.of(Path.of(base), refs);
  }
}
