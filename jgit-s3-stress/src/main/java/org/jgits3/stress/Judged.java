// SPDX-License-Identifier: Apache-2.0
package org.jgits3.stress;

import java.util.List;
import java.util.Map;
import org.jgits3.bench.report.Row;

/** Result of a run that is either right or wrong. */
public interface Judged {
  /**
   * Tests whether nothing was wrong.
   *
   * @return true if so
   */
  boolean passed();

  /**
   * The line at the end of the run.
   *
   * @param seed seed of the run
   * @return the line
   */
  String line(long seed);

  /**
   * Tells what was wrong.
   *
   * @return one line, or more, for each thing
   */
  List<String> report();

  /**
   * Figures the run is judged by.
   *
   * @return values by their keys
   */
  Map<String, Double> headline();

  /**
   * Everything that was measured or counted.
   *
   * @return rows of the report
   */
  List<Row> rows();
}
