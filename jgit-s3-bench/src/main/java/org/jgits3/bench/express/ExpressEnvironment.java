// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.express;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jgits3.bench.Effort;
import org.jgits3.bench.WrongUsageException;

/**
 * Settings from the environment, in the variables of the published S3 Express benchmark and one
 * more.
 *
 * @param buckets {@code BUCKETS}: names separated by commas, of directory buckets and of
 *     general-purpose ones; empty if not set
 * @param iterations {@code NUMBER_OF_ITERATIONS}: calls of one sample
 * @param samples {@code SAMPLE_SIZE}: samples of each benchmark
 * @param clientOnly {@code CLIENT_ONLY}: whether only what needs no network is measured
 */
record ExpressEnvironment(List<String> buckets, int iterations, int samples, boolean clientOnly) {
  static final String BUCKETS = "BUCKETS";

  private static final String NUMBER_OF_ITERATIONS = "NUMBER_OF_ITERATIONS";
  private static final String SAMPLE_SIZE = "SAMPLE_SIZE";
  private static final String CLIENT_ONLY = "CLIENT_ONLY";

  private static final int DEFAULT_ITERATIONS = 20;
  private static final int DEFAULT_SAMPLES = 10;

  /** Enough for a mean and its interval. */
  private static final int FEWEST = 2;

  private static final int MOST = 100_000;

  /**
   * Reads the variables.
   *
   * @param variables values by name
   * @param effort what there is by default; the smallest one takes less
   * @throws WrongUsageException if one has a wrong value, with one line that names it
   */
  static ExpressEnvironment of(Map<String, String> variables, Effort effort) {
    boolean smallest = effort == Effort.SMALLEST;
    return new ExpressEnvironment(
        buckets(value(variables, BUCKETS, "")),
        number(variables, NUMBER_OF_ITERATIONS, smallest ? FEWEST : DEFAULT_ITERATIONS, 1),
        number(variables, SAMPLE_SIZE, smallest ? FEWEST : DEFAULT_SAMPLES, FEWEST),
        flag(value(variables, CLIENT_ONLY, "false")));
  }

  /** Name of a case in the results, with the settings without which figures are others. */
  String title(ExpressCase what) {
    String named = buckets.isEmpty() ? "" : " of " + String.join(", ", buckets);
    return what.title() + ", " + iterations + " calls" + named;
  }

  private static String value(Map<String, String> variables, String name, String otherwise) {
    String value = variables.getOrDefault(name, "").strip();
    return value.isEmpty() ? otherwise : value;
  }

  private static List<String> buckets(String value) {
    return Arrays.stream(value.split(",", -1))
        .map(String::strip)
        .filter(name -> !name.isEmpty())
        .toList();
  }

  private static int number(Map<String, String> variables, String name, int otherwise, int least) {
    String value = value(variables, name, Integer.toString(otherwise));
    try {
      int number = Integer.parseInt(value);
      if (number >= least && number <= MOST) {
        return number;
      }
    } catch (NumberFormatException e) {
      // as any other wrong value
    }
    throw new WrongUsageException(
        name + ": '" + value + "' is no number from " + least + " to " + MOST);
  }

  private static boolean flag(String value) {
    if (value.equals("true") || value.equals("false")) {
      return value.equals("true");
    }
    throw new WrongUsageException(CLIENT_ONLY + ": '" + value + "' is neither true nor false");
  }
}
