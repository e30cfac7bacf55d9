// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.store.probe;

import java.util.List;
import java.util.stream.Collectors;
import org.jgits3.store.ProbedService.Dialect;
import org.jgits3.store.UnsafeStoreException;

/**
 * Results of a probe of one store.
 *
 * @param location the store, as {@link org.jgits3.store.ObjectStore#location} gives it
 * @param dialect the dialect that the store was found to take
 * @param checks results of the checks; those come first without which a store is worst
 */
public record ProbeReport(String location, Dialect dialect, List<Check> checks) {
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
   * @throws UnsafeStoreException if a required check failed, naming the worst first
   */
  public ProbeReport orRefuse() throws UnsafeStoreException {
    return orRefuse("");
  }

  /** Requires a safe store; a refusal ends in advice. */
  ProbeReport orRefuse(String advice) throws UnsafeStoreException {
    List<Check> failed = checks.stream().filter(c -> c.required() && !c.ok()).toList();
    if (failed.isEmpty()) {
      return this;
    }
    Check worst = failed.get(0);
    String others = failed.stream().skip(1).map(Check::name).collect(Collectors.joining(", "));
    throw new UnsafeStoreException(
        location,
        worst.name(),
        worst.detail() + (others.isEmpty() ? "" : "; also failed: " + others) + advice);
  }
}
