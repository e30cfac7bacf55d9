// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.refs;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jgits3.bench.process.JvmProgram;

/**
 * Measures what an open repository that has answered a look-up keeps reachable: the growth of the
 * used heap after full collections, in a JVM of its own with the serial collector, whose figures
 * are exact. A first repository is opened and dropped before, so that classes, buffers and
 * connections do not count.
 */
final class HeapOfRefs {
  /** The serial collector closes all gaps at every fourth collection. */
  private static final int COLLECTIONS = 8;

  private static final Duration LIMIT = Duration.ofMinutes(5);

  private HeapOfRefs() {}

  /**
   * Measures in a JVM of its own.
   *
   * @param engine the engine
   * @param refs number of refs
   * @param jvmOptions options that tell the JVM where data and server are
   * @param log file for what it prints as errors
   * @return bytes of heap
   * @throws IOException if the JVM failed
   * @throws InterruptedException if the thread was interrupted; the JVM is gone
   */
  static long measure(RefsEngine engine, int refs, List<String> jvmOptions, Path log)
      throws IOException, InterruptedException {
    List<String> options = new ArrayList<>(jvmOptions);
    options.addAll(List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
    JvmProgram program =
        new JvmProgram(options, HeapOfRefs.class, List.of(engine.id(), Integer.toString(refs)));
    String printed =
        program
            .run(LIMIT, log)
            .filter(ended -> ended.exitCode() == 0)
            .map(JvmProgram.Ended::printed)
            .orElseThrow(() -> new IOException("the JVM failed or did not end; see " + log));
    return Long.parseLong(printed);
  }

  /**
   * Prints the bytes.
   *
   * @param args engine and number of refs
   * @throws IOException if refs cannot be read
   */
  public static void main(String[] args) throws IOException {
    int refs = Integer.parseInt(args[1]);
    DataSet data = BenchmarkData.ofThisJvm(refs);
    String name = data.set().sample().get(0).getName();
    try (RefSource source = RefsEngine.of(args[0]).source(data)) {
      openAndDrop(source, name);
      System.out.println(growth(source, name));
    }
  }

  /** In a method of its own, so that no variable keeps the repository. */
  private static void openAndDrop(RefSource source, String name) throws IOException {
    try (RefStore store = source.open()) {
      check(store.exact(name) != null);
    }
  }

  private static long growth(RefSource source, String name) throws IOException {
    long before = usedHeap();
    try (RefStore store = source.open()) {
      check(store.exact(name) != null);
      long after = usedHeap();
      check(store.exact(name) != null); // and so it was in use until now
      return after - before;
    }
  }

  private static void check(boolean found) {
    if (!found) {
      throw new IllegalStateException("wrong answer");
    }
  }

  /** The least of several collections: the serial collector leaves small gaps in most of them. */
  private static long usedHeap() {
    long used = Long.MAX_VALUE;
    for (int i = 0; i < COLLECTIONS; i++) {
      System.gc();
      used = Math.min(used, Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory());
    }
    return used;
  }
}
