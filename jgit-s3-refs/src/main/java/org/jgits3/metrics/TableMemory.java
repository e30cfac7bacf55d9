// SPDX-License-Identifier: Apache-2.0
package org.jgits3.metrics;

/** Memory of the tables of refs. */
public interface TableMemory extends MemoryUse {
  /**
   * Number of tables that are kept.
   *
   * @return tables
   */
  int count();
}
