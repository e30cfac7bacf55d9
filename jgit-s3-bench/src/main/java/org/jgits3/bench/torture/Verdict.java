// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.torture;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Result of a run.
 *
 * @param operations operations that were begun
 * @param faults faults injected
 * @param kills processes killed
 * @param lost what was acknowledged and is not there, or not as it was
 * @param anomalies what no order of the operations explains, or no client may see
 * @param counts faults of each kind, and what else there was
 * @param report one line, or more, for each of these
 */
public record Verdict(
    long operations,
    long faults,
    long kills,
    long lost,
    long anomalies,
    Map<String, Long> counts,
    List<String> report) {
  /** Keeps copies. */
  public Verdict {
    counts = Collections.unmodifiableMap(new LinkedHashMap<>(counts));
    report = List.copyOf(report);
  }

  /**
   * Tests whether nothing was wrong.
   *
   * @return true if so
   */
  public boolean passed() {
    return lost == 0 && anomalies == 0;
  }

  /**
   * The line at the end of the run.
   *
   * @param seed seed of the run
   * @return the line
   */
  public String line(long seed) {
    return "%d operations, %d faults injected, %d kills, %d lost, %d anomalies, seed %d"
        .formatted(operations, faults, kills, lost, anomalies, seed);
  }
}
