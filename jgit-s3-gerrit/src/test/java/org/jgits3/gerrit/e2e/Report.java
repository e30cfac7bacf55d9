// SPDX-License-Identifier: Apache-2.0
package org.jgits3.gerrit.e2e;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Says what passed and failed, and how many requests each operation made. */
final class Report {
  private static final PrintStream OUT = System.out;

  /** A part of a scenario. */
  interface Step {
    void run() throws Exception;
  }

  private record Operation(int most, int asked, List<Integer> requests) {
    int median() {
      return requests.stream().sorted().toList().get(requests.size() / 2);
    }
  }

  private final Map<String, Operation> operations = new LinkedHashMap<>();
  private final S3Server store;
  private final boolean trace;
  private int passed;
  private int failed;
  private int skipped;

  /** {@code store} is null if there is none to ask; {@code trace} prints what it is asked. */
  Report(S3Server store, boolean trace) {
    this.store = store;
    this.trace = trace;
  }

  void check(String name, Step step) throws InterruptedException {
    long start = System.nanoTime();
    String verdict = "ok";
    try {
      step.run();
      passed++;
    } catch (InterruptedException e) {
      throw e;
    } catch (Exception | AssertionError e) {
      failed++;
      verdict = "FAILED";
      OUT.println("  " + e);
    }
    OUT.printf("%-7s %6d ms  %s%n", verdict, (System.nanoTime() - start) / 1_000_000, name);
  }

  void skip(String name, String why) {
    skipped++;
    OUT.printf("%-7s %9s  %s: %s%n", "skipped", "", name, why);
  }

  static void say(String line) {
    OUT.println(line);
  }

  /**
   * Counts what an operation asks of the store, work that Gerrit does right after it included. The
   * run fails if the median is above {@code most}; {@code asked} is printed beside it.
   */
  void counted(String operation, int most, int asked, Step step) throws Exception {
    int before = store == null ? 0 : store.settledRequests().size();
    step.run();
    if (store != null) {
      List<String> requests = store.settledRequests();
      requests = requests.subList(before, requests.size());
      operations
          .computeIfAbsent(operation, o -> new Operation(most, asked, new ArrayList<>()))
          .requests
          .add(requests.size());
      if (trace) {
        OUT.println("  " + operation);
        requests.forEach(request -> OUT.println("    " + request));
      }
    }
  }

  static void equal(Object actual, Object expected, String what) {
    if (!expected.equals(actual)) {
      throw new AssertionError(what + ": " + actual + " instead of " + expected);
    }
  }

  static void that(boolean holds, String what) {
    if (!holds) {
      throw new AssertionError(what);
    }
  }

  /** Prints the end of the run, and returns its exit code. */
  int end() throws InterruptedException {
    if (!operations.isEmpty()) {
      OUT.printf("%n%-24s %8s %8s %8s %s%n", "requests", "median", "bound", "asked", "each");
      operations.forEach(
          (name, o) ->
              OUT.printf("%-24s %8d %8d %8d %s%n", name, o.median(), o.most, o.asked, o.requests));
      check(
          "no operation makes more requests than its bound",
          () -> operations.forEach((name, o) -> that(o.median() <= o.most, name)));
    }
    OUT.printf("%n%d passed, %d failed, %d skipped%n", passed, failed, skipped);
    return failed == 0 ? 0 : 1;
  }
}
