// SPDX-License-Identifier: Apache-2.0
package org.jgits3.metrics;

/**
 * Memory that all repositories of a manager share for one purpose. Safe for use by many threads.
 */
public interface MemoryUse {
  /**
   * Memory that is held now.
   *
   * @return bytes
   */
  long held();

  /**
   * Memory that may be held.
   *
   * @return bytes
   */
  long limit();
}
