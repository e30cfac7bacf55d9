// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.store.probe;

import java.util.List;

/**
 * Results of a probe of one store.
 *
 * @param location the store, as {@link org.jgits3.store.ObjectStore#location} gives it
 * @param checks results of the checks, in order
 */
public record ProbeReport(String location, List<Check> checks) {
  /** Keeps its own copy of the list. */
  public ProbeReport {
    checks = List.copyOf(checks);
  }

  /**
   * Tests whether repositories are safe in the store.
   *
   * @return true if every required check passed
   */
  public boolean ok() {
    return checks.stream().allMatch(check -> check.ok() || !check.required());
  }

  /**
   * Requires a store in which repositories are safe.
   *
   * @return this report
   * @throws StoreProbe.Refused if a required check failed, naming the first
   */
  public ProbeReport orRefuse() throws StoreProbe.Refused {
    for (Check check : checks) {
      if (!check.ok() && check.required()) {
        throw new StoreProbe.Refused(location, check);
      }
    }
    return this;
  }
}
