// SPDX-License-Identifier: Apache-2.0
package org.jgits3.gerrit.e2e;

import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Says what passed and failed, and how many requests each operation made. */
final class Report {
  private static final PrintStream OUT = System.out;

  private static final Pattern MANIFEST =
      Pattern.compile("(Get|Put)Object \\S+/repos/(\\w+)/manifest \\d+");

  private static final Pattern LEASE = Pattern.compile("\\w+ \\S+/objects/\\w+/lease \\d+");

  private static final Pattern WRITE = Pattern.compile("PutObject \\S+/manifest \\d+");

  private static final Pattern UNCHANGED = Pattern.compile("GetObject \\S+/manifest 304");

  /** Time after which a request of Gerrit validates again. */
  private static final Duration LONGEST = Duration.ofSeconds(10);

  /** A part of a scenario. */
  interface Step {
    void run() throws Exception;
  }

  private record Operation(int most, int asked, List<Integer> own, List<Integer> all) {
    private static int median(List<Integer> numbers) {
      return numbers.stream().sorted().toList().get(numbers.size() / 2);
    }

    /** What it makes itself. */
    int median() {
      return median(own);
    }

    String line(String name) {
      return "%-24s %8d %8d %8d %8d %s".formatted(name, median(), most, asked, median(all), all);
    }
  }

  private final Map<String, Operation> operations = new LinkedHashMap<>();
  private final S3Server store;
  private final boolean trace;
  private long took; // by the last step whose requests were asked for
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
    String why = "";
    try {
      step.run();
      passed++;
    } catch (InterruptedException e) {
      throw e;
    } catch (Exception | AssertionError e) {
      failed++;
      verdict = "FAILED";
      why = ": " + e;
    }
    OUT.printf("%-7s %6d ms  %s%s%n", verdict, (System.nanoTime() - start) / 1_000_000, name, why);
  }

  void skip(String name, String why) {
    skipped++;
    OUT.printf("%-7s %9s  %s: %s%n", "skipped", "", name, why);
  }

  static void say(String line) {
    OUT.println(line);
  }

  /** Returns what a step asks of the store, work that Gerrit does right after it included. */
  List<String> requests(Step step) throws Exception {
    int before = store == null ? 0 : store.settledRequests().size();
    long start = System.nanoTime();
    step.run();
    took = System.nanoTime() - start;
    List<String> requests = store == null ? List.of() : store.settledRequests();
    return requests.subList(before, requests.size());
  }

  /**
   * Counts what an operation asks of the store. The run fails if the median of {@link #own} is
   * above {@code most}; {@code asked} and all requests are printed beside it.
   *
   * @param validations most reads of one manifest: the requests of Gerrit that it consists of; one
   *     more is allowed for each {@link #LONGEST} that they take
   */
  void counted(String operation, int most, int asked, int validations, Step step) throws Exception {
    List<String> requests = requests(step);
    if (store == null) {
      return;
    }
    Operation counted =
        operations.computeIfAbsent(
            operation, o -> new Operation(most, asked, new ArrayList<>(), new ArrayList<>()));
    counted.own.add(own(requests));
    counted.all.add(requests.size());
    if (trace) {
      OUT.println("  " + operation);
      requests.forEach(request -> OUT.println("    " + request));
    }
    long again = took / LONGEST.toNanos();
    validations(requests)
        .forEach(
            (name, reads) ->
                that(
                    reads <= validations + again,
                    operation + " validates " + name + " in " + requests));
  }

  /**
   * Counts the requests that an operation makes itself. Left out are the merging of packs, which
   * begins with a lease, and after the last write the validations that find nothing new: Gerrit's
   * work after a request makes the more of them the slower the machine is.
   */
  static int own(List<String> requests) {
    List<String> unmerged =
        requests.stream().takeWhile(request -> !LEASE.matcher(request).matches()).toList();
    int requested = unmerged.size();
    while (requested > 0 && !WRITE.matcher(unmerged.get(requested - 1)).matches()) {
      requested--;
    }
    if (requested == 0) {
      return unmerged.size();
    }
    List<String> after = unmerged.subList(requested, unmerged.size());
    return requested
        + (int) after.stream().filter(request -> !UNCHANGED.matcher(request).matches()).count();
  }

  /**
   * Counts the reads of each manifest, by id of the repository. Those after the last write of an
   * operation are left out: there begin the merging of packs, most of which holds a lease, and what
   * Gerrit does after a request.
   */
  static Map<String, Integer> validations(List<String> requests) {
    Map<String, Integer> reads = new TreeMap<>();
    Optional<Map<String, Integer>> beforeWrite = Optional.empty();
    for (String request : requests) {
      if (LEASE.matcher(request).matches()) {
        break;
      }
      Matcher manifest = MANIFEST.matcher(request);
      if (manifest.matches()) {
        if (manifest.group(1).equals("Get")) {
          reads.merge(manifest.group(2), 1, Integer::sum);
        } else {
          beforeWrite = Optional.of(new TreeMap<>(reads));
        }
      }
    }
    return beforeWrite.orElse(reads);
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
      OUT.printf(
          "%n%-24s %8s %8s %8s %8s %s%n", "requests", "own", "bound", "asked", "all", "each");
      operations.forEach((name, o) -> OUT.println(o.line(name)));
      check(
          "no operation makes more requests than its bound",
          () -> operations.forEach((name, o) -> that(o.median() <= o.most, name)));
    }
    OUT.printf("%n%d passed, %d failed, %d skipped%n", passed, failed, skipped);
    return failed == 0 ? 0 : 1;
  }
}
