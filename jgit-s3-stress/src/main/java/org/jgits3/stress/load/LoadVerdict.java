// SPDX-License-Identifier: Apache-2.0
package org.jgits3.stress.load;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jgits3.bench.report.Row;
import org.jgits3.stress.Judged;

/**
 * Result of a run.
 *
 * @param operations operations that were done
 * @param rejected attempts that the server refused because it was busy
 * @param errors what failed otherwise, and what has grown
 * @param lost what was acknowledged and is not there
 * @param rows latencies by operation, and what the server needed
 */
public record LoadVerdict(
    long operations, long rejected, List<String> errors, List<String> lost, List<Row> rows)
    implements Judged {
  private static final int MOST_SHOWN = 20;

  /** Keeps copies. */
  public LoadVerdict {
    errors = List.copyOf(errors);
    lost = List.copyOf(lost);
    rows = List.copyOf(rows);
  }

  @Override
  public boolean passed() {
    return errors.isEmpty() && lost.isEmpty();
  }

  @Override
  public String line(long seed) {
    return "%d operations, %d rejected, %d errors, %d lost, seed %d"
        .formatted(operations, rejected, errors.size(), lost.size(), seed);
  }

  @Override
  public List<String> report() {
    List<String> report = new ArrayList<>();
    lost.stream().limit(MOST_SHOWN).forEach(report::add);
    errors.stream().limit(MOST_SHOWN).forEach(report::add);
    return report;
  }

  @Override
  public Map<String, Double> headline() {
    Map<String, Double> headline = new LinkedHashMap<>();
    headline.put("lost", (double) lost.size());
    headline.put("errors", (double) errors.size());
    headline.put("rejected", (double) rejected);
    headline.put("operations", (double) operations);
    return headline;
  }
}
