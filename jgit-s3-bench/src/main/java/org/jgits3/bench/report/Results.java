// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.report;

import java.util.List;
import java.util.Optional;

/**
 * Results of one run.
 *
 * @param machine where
 * @param settings with what
 * @param suites what, in the order of the run
 * @param comparison with an earlier run; empty if none was asked for
 */
public record Results(
    Machine machine, Settings settings, List<SuiteResult> suites, Optional<Comparison> comparison) {
  /**
   * Tests whether a measurement failed.
   *
   * @return true if it did
   */
  public boolean failed() {
    return suites.stream().flatMap(suite -> suite.rows().stream()).anyMatch(Row::failed);
  }

  /**
   * These results, compared with those of an earlier run.
   *
   * @param baseline the earlier run
   * @return the results
   */
  public Results comparedWith(Baseline baseline) {
    return new Results(
        machine, settings, suites, Optional.of(Comparison.of(baseline, machine, suites)));
  }
}
