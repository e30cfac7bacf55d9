// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.report;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import com.fasterxml.jackson.annotation.JsonValue;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.commons.statistics.descriptive.StandardDeviation;
import org.apache.commons.statistics.inference.DataDispersion;
import org.apache.commons.statistics.inference.TTest;

/**
 * Changes since an earlier run. Welch's t-test decides at {@link #LEVEL} whether two means differ
 * by more than chance: on the samples, or on the means of the JVMs where there are several.
 *
 * @param baseline the earlier run
 * @param otherMachine how its machine differs; empty if it does not
 * @param changes one per figure that both runs have
 * @param absent figures that only the earlier run has, of the suites that this one ran
 */
public record Comparison(
    Baseline baseline,
    Optional<String> otherMachine,
    List<Change> changes,
    List<Baseline.Key> absent) {
  /** Probability that a difference by chance is called significant. */
  public static final double LEVEL = 0.01;

  /** Meaning of a difference. */
  public enum Verdict {
    /** Chance explains it badly, and it is for the better. */
    BETTER("better"),
    /** Chance explains it badly, and it is for the worse. */
    WORSE("worse"),
    /** Chance may explain it. */
    NOT_SIGNIFICANT("not significant"),
    /** There are too few samples to tell. */
    UNKNOWN("unknown: fewer than two samples");

    private final String words;

    Verdict(String words) {
      this.words = words;
    }

    /**
     * For people.
     *
     * @return a few words
     */
    @JsonValue
    public String words() {
      return words;
    }
  }

  /**
   * Change of one figure.
   *
   * @param key what was measured
   * @param unit its unit
   * @param before mean of the earlier run
   * @param now mean of this run
   * @param p probability of such a difference by chance; NaN if unknown
   * @param verdict what that means
   */
  public record Change(
      @JsonUnwrapped Baseline.Key key,
      Unit unit,
      double before,
      double now,
      double p,
      Verdict verdict) {
    /**
     * The change.
     *
     * @return per cent of what it was before; positive if it is more now
     */
    @JsonProperty
    public double percent() {
      return before == now ? 0 : (now - before) / before * 100;
    }
  }

  static Comparison of(Baseline baseline, Machine machine, List<SuiteResult> suites) {
    List<Change> changes = new ArrayList<>();
    for (SuiteResult suite : suites) {
      for (Row row : suite.rows()) {
        Baseline.Key key = new Baseline.Key(suite.suite(), row.name(), row.engine());
        Optional<Figure> before = Optional.ofNullable(baseline.figures().get(key));
        before
            .flatMap(b -> row.figure().map(now -> change(key, row.unit(), b, now)))
            .ifPresent(changes::add);
      }
    }
    return new Comparison(
        baseline, baseline.differsFrom(machine), changes, absent(baseline, suites, changes));
  }

  private static List<Baseline.Key> absent(
      Baseline baseline, List<SuiteResult> suites, List<Change> changes) {
    List<String> ran = suites.stream().map(SuiteResult::suite).toList();
    List<Baseline.Key> compared = changes.stream().map(Change::key).toList();
    return baseline.figures().keySet().stream()
        .filter(key -> ran.contains(key.suite()) && !compared.contains(key))
        .toList();
  }

  private static Change change(Baseline.Key key, Unit unit, Figure before, Figure now) {
    double p = unit.counted() ? certain(before, now) : welch(before, now);
    return new Change(key, unit, before.mean(), now.mean(), p, verdict(unit, before, now, p));
  }

  private static Verdict verdict(Unit unit, Figure before, Figure now, double p) {
    if (Double.isNaN(p)) {
      return Verdict.UNKNOWN;
    }
    if (p >= LEVEL) {
      return Verdict.NOT_SIGNIFICANT;
    }
    return now.mean() > before.mean() == unit.moreIsBetter() ? Verdict.BETTER : Verdict.WORSE;
  }

  private static double certain(Figure before, Figure now) {
    return before.mean() == now.mean() ? 1 : 0;
  }

  private static double welch(Figure before, Figure now) {
    double[] then = before.independent();
    double[] values = now.independent();
    if (then.length < 2 || values.length < 2) {
      return Double.NaN;
    }
    if (constant(then) && constant(values)) {
      return certain(before, now);
    }
    return TTest.withDefaults().with(DataDispersion.HETEROSCEDASTIC).test(then, values).getPValue();
  }

  private static boolean constant(double... values) {
    return StandardDeviation.of(values).getAsDouble() == 0;
  }

  /**
   * Counts the changes of a verdict, for a summary.
   *
   * @param verdict the verdict
   * @return their number
   */
  public long count(Verdict verdict) {
    return changes.stream().filter(change -> change.verdict() == verdict).count();
  }
}
