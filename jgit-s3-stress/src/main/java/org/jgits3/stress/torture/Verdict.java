// SPDX-License-Identifier: Apache-2.0
package org.jgits3.stress.torture;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jgits3.bench.report.Figure;
import org.jgits3.bench.report.Row;
import org.jgits3.bench.report.Unit;
import org.jgits3.stress.Judged;

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
    List<String> report)
    implements Judged {
  /** Keeps copies. */
  public Verdict {
    counts = Collections.unmodifiableMap(new LinkedHashMap<>(counts));
    report = List.copyOf(report);
  }

  @Override
  public boolean passed() {
    return lost == 0 && anomalies == 0;
  }

  @Override
  public String line(long seed) {
    return "%d operations, %d faults injected, %d kills, %d lost, %d anomalies, seed %d"
        .formatted(operations, faults, kills, lost, anomalies, seed);
  }

  @Override
  public Map<String, Double> headline() {
    Map<String, Double> headline = new LinkedHashMap<>();
    headline.put("lost", (double) lost);
    headline.put("anomalies", (double) anomalies);
    headline.put("faults", (double) faults);
    headline.put("kills", (double) kills);
    headline.put("operations", (double) operations);
    return headline;
  }

  @Override
  public List<Row> rows() {
    List<Row> rows = new ArrayList<>();
    counts.forEach((what, n) -> rows.add(Row.of(what, "torture", Unit.COUNT, Figure.exactly(n))));
    return rows;
  }
}
