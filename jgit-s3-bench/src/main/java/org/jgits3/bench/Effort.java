// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench;

/** How much is measured. */
public enum Effort {
  /** Whether each benchmark runs, not how fast: for CI, seconds a suite. */
  SMALLEST,
  /** Few iterations: minutes a suite. */
  QUICK,
  /** What the figures of the documentation are made with. */
  FULL
}
