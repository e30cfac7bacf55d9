// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench;

/** Amount of measurement. */
public enum Effort {
  /** Runs each benchmark once without useful figures: for CI, seconds a suite. */
  SMALLEST,
  /** Few iterations: minutes a suite. */
  QUICK,
  /** Full runs, as for the figures of the documentation. */
  FULL
}
