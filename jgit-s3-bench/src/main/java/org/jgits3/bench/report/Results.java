// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.report;

import java.util.List;

/**
 * What one run measured.
 *
 * @param machine where
 * @param suites what, in the order of the run
 */
public record Results(Machine machine, List<SuiteResult> suites) {
  /**
   * Whether something that should have been measured failed.
   *
   * @return true if it did
   */
  public boolean failed() {
    return suites.stream().flatMap(suite -> suite.rows().stream()).anyMatch(Row::failed);
  }
}
